"""How many single faults in realistic model files the checker finds, by kind of fault.

Takes the clean files of ``tests/static/silent/models``, plants one fault at a time, keeps those that really
break when run under jaxtyping and beartype, and asks the checker.  ``python benchmarks/static_mutants.py``
writes ``benchmarks/results/static_mutants.txt``; ``--missed`` prints what was not found.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import platform
import random
import re
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")  # compiling has no bearing on shapes
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
import torch
from jaxtyping import TypeCheckError
from mutations import Mutant, mutants
from static.corpus import SILENT, Case, load
from static.running import execute

from typedtorch.shapes.infer import Finding, check_files

ROOT = Path(__file__).parents[1]
# Whether a mutant breaks is found by running it, minutes in all; the next run starts from what is known.
CACHE = Path(tempfile.gettempdir()) / f"typedtorch_faults_{torch.__version__}.json"
KNOWN: dict[str, bool] = json.loads(CACHE.read_text()) if CACHE.exists() else {}
Checker = Callable[[Path], list[Finding]]


@dataclass(frozen=True)
class Outcome:
    """What the checker said of one mutant: the first finding near the fault, and the first anywhere."""

    file: str
    mutant: Mutant
    near: Finding | None
    anywhere: Finding | None


def ours(path: Path) -> list[Finding]:
    return check_files([path], search=[path.parent])


def collect(case: Case, per_kind: int, rng: random.Random, folder: Path) -> Iterator[Mutant]:
    """At most ``per_kind`` mutants of each kind that break at run time."""
    by_kind: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants(case.files[case.main]):
        by_kind[mutant.kind].append(mutant)
    for kind in sorted(by_kind):
        rng.shuffle(by_kind[kind])
        found = 0
        for mutant in by_kind[kind][: 4 * per_kind]:
            if found < per_kind and breaks(mutant, case, folder):
                found += 1
                yield mutant


def breaks(mutant: Mutant, case: Case, folder: Path) -> bool:
    """Whether the program fails, for a reason that has to do with tensors."""
    key = hashlib.sha256(mutant.text.encode()).hexdigest()
    if key not in KNOWN:
        KNOWN[key] = _breaks(mutant, case, folder)
    return KNOWN[key]


def _breaks(mutant: Mutant, case: Case, folder: Path) -> bool:
    (folder / case.main).write_text(mutant.text)
    try:
        with _deadline(10), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            execute(folder, case.main, case.notes["run"])
    except Exception as error:
        return _about_tensors(error)
    return False


def _about_tensors(error: Exception) -> bool:
    """Whether a failure is one of shapes or dtypes, and not of names, Python's types, or values."""
    text = f"{error} {error.__cause__ or ''}"
    if isinstance(error, NameError | ImportError | AttributeError | TimeoutError | AssertionError):
        return False
    if type(error) is TypeError or isinstance(error, np.linalg.LinAlgError | torch.linalg.LinAlgError):
        return False
    if isinstance(error, TypeCheckError):
        return re.search(r"Actual value: (<|-?\d)", text) is None
    return re.search(r"out of (bounds|range)|singular", text) is None


@contextmanager
def _deadline(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError

    # CPU time, not the clock: a busy machine must not change the answer.
    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def judge(case: Case, mutant: Mutant, check: Checker, folder: Path) -> Outcome:
    path = folder / case.main
    path.write_text(mutant.text)
    findings = check(path)
    lines = neighbourhood(mutant)
    near = next((f for f in findings if f.line in lines), None)
    return Outcome(case.name, mutant, near, findings[0] if findings else None)


def neighbourhood(mutant: Mutant) -> set[int]:
    """Lines of the mutated function or class, and of whatever mentions it by name."""
    tree = ast.parse(mutant.text)
    names = set(mutant.scope)
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            words = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            words |= {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
            if node.name in names or words & names:
                lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, ast.ClassDef) and node.name in names:
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


def measure(check: Checker, per_kind: int, seed: int) -> tuple[list[Outcome], list[Finding], float]:
    """Outcomes of all mutants, findings in the clean files, and seconds of CPU the checker took."""
    outcomes: list[Outcome] = []
    alarms: list[Finding] = []
    spent = 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in load(SILENT):
            if case.category != "models":
                continue
            case.write(folder, buggy=False)
            alarms += check(folder / case.main)
            for mutant in collect(case, per_kind, random.Random(f"{seed} {case.name}"), folder):
                start = time.process_time()
                outcomes.append(judge(case, mutant, check, folder))
                spent += time.process_time() - start
            CACHE.write_text(json.dumps(KNOWN))
    return outcomes, alarms, spent


def table(outcomes: list[Outcome], alarms: list[Finding], spent: float) -> str:
    total: Counter[str] = Counter(o.mutant.kind for o in outcomes)
    near: Counter[str] = Counter(o.mutant.kind for o in outcomes if o.near)
    caught = sum(near.values())
    rows = [f"{kind:<40} {near[kind]:>4} of {total[kind]:>4}" for kind in sorted(total)]
    files = len({o.file for o in outcomes})
    head = (
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {platform.machine()}\n"
        f"{len(outcomes)} single faults of {len(total)} kinds in {files} files, each breaks when run\n"
        f"found in the function or class, or where it is used: {caught} ({caught / len(outcomes):.1%})\n"
        f"found anywhere in the file: {sum(bool(o.anywhere) for o in outcomes)}\n"
        f"false alarms in the clean files: {len(alarms)}\n"
        f"checker: {1000 * spent / max(1, len(outcomes)):.0f} ms CPU a file"
    )
    return head + "\n\n" + "\n".join(rows) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-kind", type=int, default=1, help="mutants of each kind in each file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--missed", action="store_true", help="print the faults that were not found")
    options = parser.parse_args()
    outcomes, alarms, spent = measure(ours, options.per_kind, options.seed)
    text = table(outcomes, alarms, spent)
    print(text)
    for alarm in alarms:
        print(f"false alarm: {Path(alarm.path).name}:{alarm.line}: {alarm.message}")
    if options.missed:
        for o in outcomes:
            if not o.near:
                was, now = o.mutant.was.split("\n")[0], o.mutant.now.split("\n")[0]
                print(f"{o.file} {'.'.join(o.mutant.scope)}: {o.mutant.kind}: {was}  ->  {now}")
    results = ROOT / "benchmarks" / "results"
    results.mkdir(exist_ok=True)
    (results / "static_mutants.txt").write_text(text)


if __name__ == "__main__":
    main()
