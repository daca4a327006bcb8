"""The engine against running: what correct programs assign and return is what the engine takes it for."""

from __future__ import annotations

import warnings
from itertools import groupby

import pytest
import torch

from static.corpus import CASES, SILENT, Case, load
from static.locals import compare, difference
from typedtorch.shapes import dtypes
from typedtorch.shapes.size import Atom, Size, axis
from typedtorch.shapes.tensor import Tensor

ALL = [case for case in load(CASES) + load(SILENT) if "run" in case.notes]
CATEGORIES = {name: list(cases) for name, cases in groupby(ALL, key=lambda case: case.category)}


@pytest.mark.parametrize("cases", CATEGORIES.values(), ids=CATEGORIES)
def test_locals_are_what_the_engine_says(cases: list[Case]) -> None:
    found: list[str] = []
    compared = 0
    for case in cases:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = compare(case)
        compared += result.compared
        found += [f"{case.name} {text}" for text in result.differences]
    assert not found, "\n".join(found)
    assert compared > len(cases) / 2


def test_a_wrong_shape_is_seen() -> None:
    b, d = axis("b"), axis("d")
    axes: dict[Atom, Size] = {}
    assert not difference(Tensor((b, d), dtypes.FLOAT), torch.zeros(2, 3), axes)
    assert not difference(Tensor((d, 2 * b), dtypes.FLOAT), torch.zeros(3, 4), axes)
    assert "b=2" in difference(Tensor((d, b), dtypes.FLOAT), torch.zeros(3, 4), axes)
    assert "b=2" in difference(Tensor((b + 1,), dtypes.FLOAT), torch.zeros(4), axes)
    assert "known as (b,)" in difference(Tensor((b,), dtypes.FLOAT), torch.zeros(2, 1), axes)
    assert "known as" in difference(Tensor((b,), dtypes.INT), torch.zeros(2), axes)


def test_what_a_program_binds_is_compared() -> None:
    text = (
        "import torch\n\n\ndef f():\n    x = torch.zeros(2, 3)\n    y, z = x.sum(0), x.t(\n    )\n"
        "    return (\n        y @ z\n    )\n\n\n# run: f()\n"
    )
    result = compare(Case("x/y", CASES, {"y.py": text}))
    assert (result.compared, result.differences) == (4, [])
