"""Inner functions made several times, and names that they rebind."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor


def linear(w: Float[Tensor, "i o"]) -> Callable[[Tensor], Tensor]:
    def apply(x: Float[Tensor, "*b i"]) -> Float[Tensor, "*b o"]:
        return x @ w

    return apply


def compose(*functions: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    def composed(x: Tensor) -> Tensor:
        for f in functions:
            x = f(x)
        return x

    return composed


def network(x: Float[Tensor, "b 3"]) -> Float[Tensor, "b 5"]:
    return compose(linear(torch.randn(3, 4)), torch.relu, linear(torch.randn(4, 5)))(x)


def padded_twice(x: Float[Tensor, "n d"]) -> Float[Tensor, "n+2 d"]:
    def push() -> None:
        nonlocal x
        x = torch.cat([x, torch.zeros(1, x.shape[1])])

    push()
    push()
    return x


# run: network(randn(2, 3)); padded_twice(randn(3, 4))
