"""What the engine says of random programs is true whichever way they run, and it says a good deal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from static import random_groups, random_objects, random_python
from static.random_programs import Generator, Grammar, contradicts, observed
from typedtorch.shapes.infer import Program

SEEDS = 40  # to a test
# the grammar, how many of the answers are known, and the seeds of which something is still wrong
OBJECTS = random_objects.GRAMMAR, 0.3, set[int]()
PYTHON = random_python.GRAMMAR, 0.55, set[int]()
GROUPS = random_groups.GRAMMAR, 0.1, set[int]()


@pytest.mark.parametrize(
    ("grammar", "share", "wrong", "first"),
    [
        *(pytest.param(*OBJECTS, first, id=f"objects-{first}") for first in range(0, 160, SEEDS)),
        *(pytest.param(*PYTHON, first, id=f"python-{first}") for first in range(0, 160, SEEDS)),
        *(pytest.param(*GROUPS, first, id=f"groups-{first}") for first in range(0, 160, SEEDS)),
    ],
)
def test_what_is_known_holds_on_every_run(
    grammar: Grammar, share: float, wrong: set[int], first: int
) -> None:
    known = asked = runs = 0
    for seed in range(first, first + SEEDS):
        text = Generator(grammar, seed).program()
        seen = observed(text) if seed not in wrong else None
        if seen is None:
            continue
        runs += 1
        report = Program(lambda name: None).check("random", Path("random.py"), text)
        for finding in report.findings:
            place = f"seed {seed}, line {finding.line}: {finding.message}\n{text}"
            assert finding.severity != "error", place
            for values in seen.get(finding.line, []):
                assert not all(contradicts(finding.message, value) for value in values), place
            known += re.search(r"is the size -?\d+$|has shape \([\d, ]*\)", finding.message) is not None
            asked += 1
    assert runs > SEEDS // 3
    assert known > share * asked


def test_a_wrong_note_is_told() -> None:
    assert contradicts("t has shape (2, 3), float32", (2, 4))
    assert contradicts("t has shape (?, 3), float32", (2, 3, 1))
    assert not contradicts("t has shape (?, 3), float32", (2, 3))
    assert not contradicts("t is not known here", (2, 3))
    assert contradicts("len(l) is the size 3", 4)
    assert not contradicts("len(l) is the size -3", -3)


def test_a_run_without_end_is_none() -> None:
    assert observed("def main(flag, other, many):\n    while True:\n        pass\n") is None
    assert observed("def main(flag, other, many):\n    n = 3\n    while n:\n        n *= n\n") is None
