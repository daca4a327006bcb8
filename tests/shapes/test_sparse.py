"""Sparse tensors: what rules say against what torch makes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import typedtorch.shapes.rules  # noqa: F401 - importing it fills the table
from typedtorch.shapes.dtypes import INT64
from typedtorch.shapes.rule import apply
from typedtorch.shapes.tensor import ShapeError, Tensor, show


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the layout is in beta
        yield


INDICES, VALUES = Tensor((2, 3), INT64), Tensor((3,))
MADE: list[tuple[Callable[..., Any], str, tuple[Any, ...]]] = [
    (lambda i, v: torch.sparse_coo_tensor(i, v, (4, 5)), "torch.sparse_coo_tensor",
     (INDICES, VALUES, (4, 5))),
    (lambda i, v: torch.sparse_coo_tensor(i, v[:, None], (4, 5, 1)), "torch.sparse_coo_tensor",
     (INDICES, Tensor((3, 1)), (4, 5, 1))),
    (lambda i, v: torch.sparse_csr_tensor(torch.tensor([0, 1, 3]), i[0], v, (2, 4)),
     "torch.sparse_csr_tensor", (Tensor((3,), INT64), VALUES, VALUES, (2, 4))),
    (lambda i, v: torch.sparse.mm(torch.eye(4).to_sparse(), torch.ones(4, 2)), "torch.sparse.mm",
     (Tensor((4, 4)), Tensor((4, 2)))),
    (lambda i, v: torch.sparse.addmm(torch.ones(4, 2), torch.eye(4).to_sparse(), torch.ones(4, 2)),
     "torch.sparse.addmm", (Tensor((4, 2)), Tensor((4, 4)), Tensor((4, 2)))),
    (lambda i, v: torch.sparse.sum(torch.ones(4, 2).to_sparse(), 1), "torch.sparse.sum", (Tensor((4, 2)), 1)),
    (lambda i, v: torch.sparse.softmax(torch.ones(4, 2).to_sparse(), 1), "torch.sparse.softmax",
     (Tensor((4, 2)), 1)),
    (lambda i, v: torch.ones(4, 2).to_sparse().coalesce(), "torch.Tensor.coalesce", (Tensor((4, 2)),)),
]  # fmt: skip


@pytest.mark.parametrize(("make", "rule", "arguments"), MADE)
def test_a_sparse_tensor_has_the_shape_that_it_stands_for(
    make: Callable[..., Any], rule: str, arguments: tuple[Any, ...]
) -> None:
    made = make(torch.tensor([[0, 1, 2], [1, 0, 3]]), torch.ones(3))
    assert apply(rule, *arguments).shape == tuple(made.shape)


def test_what_it_holds_has_as_many_entries_as_nobody_knows() -> None:
    hybrid = torch.sparse_coo_tensor(torch.tensor([[0, 2]]), torch.ones(2, 3), (4, 3)).coalesce()
    assert len(hybrid.indices().shape) == len(apply("torch.Tensor.indices", Tensor((4, 3))).shape)
    assert apply("torch.Tensor.values", Tensor((4, 3))).rank is None
    assert show(apply("torch.sparse_coo_tensor", INDICES, Tensor((3, 7))).shape) == "(?, ?, 7)"


@pytest.mark.parametrize(
    ("rule", "arguments", "text"),
    [
        ("torch.sparse_coo_tensor", (INDICES, Tensor((4,)), (4, 5)), "3 entries, and values has 4"),
        ("torch.sparse_coo_tensor", (INDICES, VALUES, (4, 5, 6)), "for 2 axes"),
        ("torch.sparse_coo_tensor", (VALUES, VALUES, (4,)), "wanted \\(axes, entries\\)"),
        ("torch.sparse_csr_tensor", (VALUES, VALUES, VALUES, (5, 4)), "wanted \\(6,\\)"),
    ],
)
def test_indices_that_do_not_fit_are_refused(rule: str, arguments: tuple[Any, ...], text: str) -> None:
    with pytest.raises(ShapeError, match=text):
        apply(rule, *arguments)
    given = [
        torch.zeros([e for e in a.shape if isinstance(e, int)], dtype=torch.long)
        if isinstance(a, Tensor)
        else a
        for a in arguments
    ]
    with pytest.raises(RuntimeError):
        getattr(torch, rule.removeprefix("torch."))(*given, check_invariants=True)
