"""Runs the checker over the corpus: what it missed and what it should not have said.

``python tests/static/check_cases.py [SUBSTRING ...]`` prints every case that is not solved.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from static.corpus import CASES, SILENT, Case, load  # after the path is set
from typedtorch.shapes.infer import Finding, check_files  # kept beside the line above


@dataclass(frozen=True)
class Result:
    """What the checker said of one case: of the clean twin, and of the buggy one."""

    case: Case
    clean: list[Finding]
    buggy: list[Finding]
    missed: list[tuple[str, int, str]]
    unexpected: list[Finding]

    @property
    def solved(self) -> bool:
        return not (self.clean or self.missed or self.unexpected)


def check(case: Case, folder: Path) -> Result:
    """Check both twins of a case, written under ``folder``."""
    clean = _findings(case, folder / "clean", buggy=False)
    buggy = _findings(case, folder / "buggy", buggy=True) if case.has_bug else []
    found = {(f.path, f.line, f.code) for f in buggy}
    allowed = {
        (path, line, code) for path, line, codes in case.expected(optional=True) for code in codes.split("|")
    }
    return Result(
        case,
        clean,
        buggy,
        sorted(e for e in case.expected() if not any((*e[:2], code) in found for code in e[2].split("|"))),
        [f for f in buggy if (f.path, f.line, f.code) not in allowed],
    )


def _findings(case: Case, folder: Path, *, buggy: bool) -> list[Finding]:
    paths = case.write(folder, buggy=buggy)
    return [relative(f, folder) for f in check_files(paths, search=[folder])]


def relative(finding: Finding, folder: Path) -> Finding:
    """The finding with its path relative to the folder of its twin."""
    return finding._replace(path=str(Path(finding.path).relative_to(folder)))


def show(finding: Finding) -> str:
    hint = f" ({finding.hint})" if finding.hint else ""
    return f"{finding.path}:{finding.line}: {finding.message}{hint}  [{finding.code}]"


def report(result: Result) -> str:
    """One case in plain lines, for a person."""
    lines = [f"--- {result.case.name}"]
    lines += [f"  false alarm  {show(f)}" for f in result.clean]
    lines += [f"  missed       {path}:{line} [{code}]" for path, line, code in result.missed]
    lines += [f"  unexpected   {show(f)}" for f in result.unexpected]
    return "\n".join(lines)


def main(wanted: Sequence[str]) -> int:
    cases = [c for c in load(CASES) + load(SILENT) if not wanted or any(w in c.name for w in wanted)]
    start, solved, alarms = time.process_time(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for index, case in enumerate(cases):
            try:
                result = check(case, Path(folder) / str(index))
            except Exception as error:
                print(f"--- {case.name}\n  CRASH {type(error).__name__}: {error}")
                continue
            solved += result.solved
            alarms += bool(result.clean)
            if not result.solved:
                print(report(result))
    spent = time.process_time() - start
    print(f"{solved} of {len(cases)} solved, {alarms} clean programs flagged, {spent:.1f} s")
    return 0 if solved == len(cases) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
