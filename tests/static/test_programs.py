"""The corpus itself: its correct programs run under jaxtyping and beartype, and its bugs are real."""

from __future__ import annotations

import warnings

import pytest

from static.corpus import CASES, SILENT, Case, load, twin
from static.verify_cases import problem

ALL = load(CASES) + load(SILENT)


@pytest.mark.parametrize("case", ALL, ids=[c.name for c in ALL])
def test_clean_program_runs_and_buggy_twin_is_wrong(case: Case) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fault = problem(case)
    assert fault is None, fault


def test_twins_differ_on_the_marked_lines_only() -> None:
    text = "a = 1\nb = a.T  #! b = a  # E: shape\n#! c = b\nd = b  # E: shape\n# run: f()\n"
    assert twin(text, buggy=False) == "a = 1\nb = a.T\n\nd = b\n\n"
    assert twin(text, buggy=True) == "a = 1\nb = a  # E: shape\nc = b\nd = b  # E: shape\n\n"


def test_a_program_that_runs_is_not_accepted_as_a_bug() -> None:
    case = Case(
        "x/y", CASES, {"y.py": "def f():\n    return 1  #! return 1 + 0  # E: shape\n\n\n# run: f()\n"}
    )
    assert problem(case) == "the buggy twin runs"


def test_annotations_of_locals_are_enforced() -> None:
    text = (
        "from jaxtyping import Float\nfrom torch import Tensor\n\n\n"
        'def f(x: Float[Tensor, "n"]) -> None:\n    y: Float[Tensor, "n n"] = x\n\n\n# run: f(randn(3))\n'
    )
    assert "LocalAnnotationError" in str(problem(Case("x/y", CASES, {"y.py": text})))
