import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor

P = ParamSpec("P")
R = TypeVar("R")


def seeded(function: Callable[Concatenate[torch.Generator, P], R]) -> Callable[P, R]:
    @functools.wraps(function)
    def inner(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(torch.Generator().manual_seed(0), *args, **kwargs)

    return inner


@seeded
def jitter(generator: torch.Generator, x: Float[Tensor, "points dim"]) -> Float[Tensor, "points dim"]:
    return x + torch.randn(x.shape, generator=generator)


def spread(x: Float[Tensor, "points dim"]) -> Float[Tensor, "points"]:
    return (jitter(x) - x).norm(dim=-1)  #! return (jitter(x) - x).norm(dim=0)  # E: shape


# run: spread(randn(3, 5))
