"""Every clean program of the corpus runs as the engine says, and every buggy twin is really wrong.

``python tests/static/verify_cases.py [SUBSTRING ...]`` prints what does not hold.
"""

from __future__ import annotations

import sys
import tempfile
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch
import torch._dynamo.config

from static.corpus import CASES, SILENT, Case, load  # after the path is set
from static.locals import compare  # likewise
from static.running import execute  # likewise

# An error of one of these kinds is a slip in the case itself, not the bug it shows.
_SLIPS = (NameError, SyntaxError, ImportError)


def problem(case: Case) -> str | None:
    """What is wrong with a case, or None."""
    drive = case.notes.get("run", [])
    if not drive:
        return "nothing drives it"
    # compiling has no bearing on shapes, and takes seconds
    with tempfile.TemporaryDirectory() as folder, torch._dynamo.config.patch(disable=True):
        try:
            clean = compare(case, Path(folder) / "clean")
        except Exception:
            return "the clean twin fails\n" + traceback.format_exc(limit=-3)
        if clean.differences:
            return "\n".join(["running says otherwise than the engine", *clean.differences])
        if not case.has_bug:
            return None
        if not case.expected():
            return "no line is marked '# E:'"
        try:
            wrong = _run_buggy(case, Path(folder) / "buggy", drive)
        except _SLIPS:
            return "the buggy twin has a slip of its own\n" + traceback.format_exc(limit=-3)
        except Exception:
            return "it raises, so '# quiet' or '# static' is wrong" if _excused(case) else None
    if "static" in case.notes:
        return None
    if "quiet" not in case.notes:
        return "the buggy twin runs"
    return "the buggy twin computes the same" if _same(clean.value, wrong) else None


def _excused(case: Case) -> bool:
    return "quiet" in case.notes or "static" in case.notes


def _run_buggy(case: Case, folder: Path, drive: list[str]) -> object:
    case.write(folder, buggy=True)
    return execute(folder, case.main, drive)


def _same(a: object, b: object) -> bool:
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return a.shape == b.shape and a.dtype == b.dtype and bool(torch.allclose(a, b))
    return a is b or bool(a == b)


def main() -> int:
    wanted = sys.argv[1:]
    cases = [c for c in load(CASES) + load(SILENT) if not wanted or any(w in c.name for w in wanted)]
    bad = 0
    for case in cases:
        if text := problem(case):
            bad += 1
            print(f"--- {case.name}: {text}")
    print(f"{len(cases)} cases, {bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
