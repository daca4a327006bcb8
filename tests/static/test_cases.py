"""Every bug of the corpus is reported on its line, and nothing is reported in a correct program."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from static.check_cases import Result, check, report, show
from static.corpus import CASES, HERE, SILENT, Case, load

PAIRS = load(CASES)
CORRECT = load(SILENT)
GOLDEN = HERE / "golden.txt"


@pytest.fixture(scope="session")
def checked(tmp_path_factory: pytest.TempPathFactory) -> object:
    folder = tmp_path_factory.mktemp("static")

    @cache
    def once(index: int) -> Result:
        return check(PAIRS[index], folder / str(index))

    return once


@pytest.mark.parametrize("index", range(len(PAIRS)), ids=[c.name for c in PAIRS])
def test_bug_is_reported_and_the_clean_twin_is_not(index: int, checked: object) -> None:
    assert callable(checked)
    result: Result = checked(index)
    assert result.solved, report(result)


@pytest.mark.parametrize("case", CORRECT, ids=[c.name for c in CORRECT])
def test_correct_program_is_left_alone(case: Case, tmp_path: Path) -> None:
    result = check(case, tmp_path)
    assert not result.clean, report(result)


def test_messages_are_the_golden_ones(checked: object, rewrite_golden: bool) -> None:
    assert callable(checked)
    blocks = []
    for index, case in enumerate(PAIRS):
        result: Result = checked(index)
        blocks.append("\n".join([case.name, *(f"  {show(f)}" for f in result.buggy)]))
    text = "\n".join(blocks) + "\n"
    if rewrite_golden:
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text(), "pytest tests/static --rewrite-golden accepts the new messages"


def test_every_feature_has_its_pairs() -> None:
    assert len(PAIRS) >= 200
    assert all(case.has_bug and case.expected() for case in PAIRS)
    assert len({case.name for case in PAIRS}) == len(PAIRS)
    assert len(CORRECT) >= 60
    assert not [case.name for case in CORRECT if case.has_bug]
