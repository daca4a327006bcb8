"""Solvers of numpy, on matrices of full rank: what the rules say against what comes out."""

from __future__ import annotations

import numpy as np
import pytest

import typedtorch.shapes.rules  # noqa: F401 - fills the table
from typedtorch.shapes import dtypes
from typedtorch.shapes.rule import apply
from typedtorch.shapes.tensor import ShapeError, Tensor

SQUARE, WIDE = np.eye(3) + 0.5, np.arange(12.0).reshape(4, 3) ** 2
CALLS = [
    ("inv", (SQUARE,)),
    ("inv", (np.stack([SQUARE, SQUARE]),)),
    ("inv", (np.eye(3, dtype=np.int64),)),
    ("cholesky", (SQUARE,)),
    ("solve", (SQUARE, np.ones(3))),
    ("solve", (SQUARE, np.ones((3, 2), dtype=np.float32))),
    ("solve", (np.stack([SQUARE, SQUARE]), np.ones((2, 3, 5)))),
    ("lstsq", (WIDE, np.ones(4))),
    ("lstsq", (WIDE, np.ones((4, 2)))),
]


def _described(array: np.ndarray) -> Tensor:
    return Tensor(array.shape, dtypes.BIT[str(array.dtype)], library="numpy")


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_what_a_solver_gives(name: str, arguments: tuple[np.ndarray, ...]) -> None:
    made = getattr(np.linalg, name)(*arguments)
    said = apply(f"numpy.linalg.{name}", *map(_described, arguments))
    pairs = [(said[0], made[0]), (said[3], made[3])] if name == "lstsq" else [(said, made)]
    for answer, real in pairs:
        assert (answer.shape, answer.dtype) == (real.shape, dtypes.BIT[str(real.dtype)])


@pytest.mark.parametrize(
    ("name", "shapes", "message"),
    [
        ("inv", [(3, 4)], "wanted a square matrix"),
        ("cholesky", [(3,)], "wanted a matrix"),
        ("solve", [(3, 3), (2,)], "has 3 rows"),
        ("solve", [(3, 3), (2, 5)], "has 3 rows"),
        ("lstsq", [(4, 3), (3,)], "has 4 rows"),
        ("lstsq", [(2, 4, 3), (4,)], "wanted 2, and 1 or 2"),
    ],
)
def test_what_a_solver_refuses(name: str, shapes: list[tuple[int, ...]], message: str) -> None:
    arrays = [np.ones(shape) for shape in shapes]
    with pytest.raises((np.linalg.LinAlgError, ValueError)):
        getattr(np.linalg, name)(*arrays)
    with pytest.raises(ShapeError, match=message):
        apply(f"numpy.linalg.{name}", *map(_described, arrays))
