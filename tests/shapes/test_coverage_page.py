"""docs/coverage.md is true of the installed torch, and the table is as broad as it says."""

from __future__ import annotations

import pytest
from coverage_page import PAGE, SPACES, listed_states, names_of, state
from real import resolve

from typedtorch.shapes.rule import ATTRIBUTES, LAYERS, RULES

SAID = listed_states(PAGE.read_text())


@pytest.mark.parametrize("space", SPACES)
def test_the_page_says_what_is_known(space: str) -> None:
    """Names of another release than the page was written for may be missing on one side."""
    for name in names_of(space):
        public = f"{space}.{name}"
        if public in SAID:
            assert SAID[public] == state(public), f"{public}: run python tests/shapes/coverage_page.py"
        else:
            assert state(public) == "unknown", f"{public} is not on the page"


def test_the_table_is_broad() -> None:
    assert len(RULES) + len(ATTRIBUTES) >= 1000
    assert len(LAYERS) >= 100


def test_every_name_exists() -> None:
    """A name that the installed version lacks would be a rule that nothing tests."""
    missing = [n for table in (RULES, ATTRIBUTES, LAYERS) for n in table if resolve(n) is None]
    assert len(missing) <= 12, missing  # what the newest releases added
