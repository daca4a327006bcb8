"""What is called may be a partial function, or an object."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch
from jaxtyping import Float
from torch import Tensor, nn

from typedtorch import typed
from typedtorch.accounting import account

from .zoo import MLP


def product(x: Float[Tensor, "a b"], w: Float[Tensor, "b c"], scale: float) -> Float[Tensor, "a c"]:
    return x @ w * scale


class Projection:
    def __init__(self) -> None:
        self.w = torch.ones(3, 4)

    def __call__(self, x: Float[Tensor, "a 3"]) -> Tensor:
        return x @ self.w


W = torch.ones(3, 4)
CALLED: dict[str, Any] = {
    "partial": (functools.partial(product, scale=2.0), {"a": 2, "b": 3, "c": 4}),
    "partial of partial": (
        functools.partial(functools.partial(product, w=W), scale=2.0),
        {"a": 2, "b": 3},
    ),
    "first given": (functools.partial(product, torch.ones(2, 3), scale=2.0), {"b": 3, "c": 4}),
    "checked": (functools.partial(typed(product), scale=2.0), {"a": 2, "b": 3, "c": 4}),
    "object": (Projection(), {"a": 2}),
    "partial object": (functools.partial(Projection()), {"a": 2}),
}


@pytest.mark.parametrize("name", CALLED)
def test_a_callable_has_the_axes_of_the_function_in_it(name: str) -> None:
    called, sizes = CALLED[name]
    assert account(called, sizes=sizes).flops.forward == 2 * 2 * 3 * 4


def test_forward_of_a_module_is_the_module() -> None:
    module = MLP(4, 8)
    assert account(module.forward, batch=2).numbers == account(module, batch=2).numbers


def test_a_partial_constructor_builds() -> None:
    found = account(functools.partial(MLP, d_ff=8), batch=2, d_model=4)
    assert isinstance(found.call.module, nn.Module)
    assert found.flops.forward == 2 * 2 * (4 * 8 + 8 * 8 + 8 * 4)
    assert repr(found).startswith("Account(MLP at")
