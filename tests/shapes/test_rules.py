"""Every row of the rule table agrees with the real operator, holds in letters, and is silent on the unknown.

``TYPEDTORCH_DRAWS`` (draws for each rule) and ``TYPEDTORCH_SEED`` make a longer or another run.
"""

from __future__ import annotations

import os

import pytest
from properties import NEEDS, Tally, agrees_with_torch, symbolic_is_concrete, unknown_is_silent
from real import TABLES, resolve

import typedtorch.shapes.rules  # noqa: F401 - fills the table
from typedtorch.shapes.rule import Rule

DRAWS = int(os.environ.get("TYPEDTORCH_DRAWS", "8"))
SEED = int(os.environ.get("TYPEDTORCH_SEED", "0"))
ROWS = [(kind, row) for kind, table in TABLES.items() for row in table.values()]
every_row = pytest.mark.parametrize(("kind", "row"), ROWS, ids=[f"{k}:{r.name}" for k, r in ROWS])


def _clean(tally: Tally) -> None:
    assert not tally.problems, "\n".join(tally.problems)


@pytest.fixture(autouse=True)
def _installed(row: Rule) -> None:
    if row.name in NEEDS:
        pytest.skip(f"{row.name} needs {NEEDS[row.name]}")
    if resolve(row.name) is None:
        pytest.skip(f"{row.name} is not in the installed version")


@every_row
def test_rule_agrees_with_the_real_operator(kind: str, row: Rule) -> None:
    tally = agrees_with_torch(row, kind, DRAWS, SEED)
    _clean(tally)
    assert tally.accepted * 4 >= tally.drawn, (
        f"torch accepts {tally.accepted} of {tally.drawn}: give it a sample"
    )
    assert tally.answered, "no draw has an answer"


@every_row
def test_symbolic_answer_holds_at_every_size(kind: str, row: Rule) -> None:
    _clean(symbolic_is_concrete(row, kind, DRAWS, SEED))


@every_row
def test_knowing_less_makes_no_error(kind: str, row: Rule) -> None:
    _clean(unknown_is_silent(row, kind, DRAWS, SEED))
