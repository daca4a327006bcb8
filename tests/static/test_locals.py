"""What the correct programs are held against while they run sees what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import torch

from static.corpus import CASES, Case
from static.locals import compare, difference
from typedtorch.shapes import dtypes
from typedtorch.shapes.size import Atom, Size, axis
from typedtorch.shapes.tensor import Tensor


def test_a_wrong_shape_is_seen() -> None:
    b, d = axis("b"), axis("d")
    axes: dict[Atom, Size] = {}
    assert not difference(Tensor((b, d), dtypes.FLOAT), torch.zeros(2, 3), axes)
    assert not difference(Tensor((d, 2 * b), dtypes.FLOAT), torch.zeros(3, 4), axes)
    assert "b=2" in difference(Tensor((d, b), dtypes.FLOAT), torch.zeros(3, 4), axes)
    assert "b=2" in difference(Tensor((b + 1,), dtypes.FLOAT), torch.zeros(4), axes)
    assert "known as (b,)" in difference(Tensor((b,), dtypes.FLOAT), torch.zeros(2, 1), axes)
    assert "known as" in difference(Tensor((b,), dtypes.INT), torch.zeros(2), axes)


def test_what_a_program_binds_and_returns_is_compared(tmp_path: Path) -> None:
    text = (
        "import torch\n\n\ndef f():\n    x = torch.zeros(2, 3)\n    y, z = x.sum(0), x.t(\n    )\n"
        "    return (\n        y @ z\n    )\n\n\n# run: f()\n"
    )
    result = compare(Case("x/y", CASES, {"y.py": text}), tmp_path)
    assert (result.compared, result.differences) == (4, [])
