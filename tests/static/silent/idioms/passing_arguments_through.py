"""*args and **kwargs handed on, decorators, partials, dispatch by name."""

import functools
from typing import Any, Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class Residual(nn.Module):
    def __init__(self, fn: nn.Module) -> None:
        super().__init__()
        self.fn = fn

    def forward(self, x: Float[Tensor, "*batch d"], *args: Any, **kwargs: Any) -> Float[Tensor, "*batch d"]:
        return x + self.fn(x, *args, **kwargs)


class Gated(nn.Module):
    def __init__(self, d: int, act: str = "silu") -> None:
        super().__init__()
        self.up = nn.Linear(d, 2 * d)
        self.act: Callable[[Tensor], Tensor] = getattr(F, act)

    def forward(self, x: Float[Tensor, "*batch d"], scale: float = 1.0, *, bias: Tensor | None = None) -> Float[Tensor, "*batch d"]:
        a, b = self.up(x).chunk(2, -1)
        y = self.act(a) * b * scale
        return y if bias is None else y + bias


def checkpointed(fn: Callable[..., Tensor]) -> Callable[..., Tensor]:
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        if torch.is_grad_enabled():
            return torch.utils.checkpoint.checkpoint(fn, *args, use_reentrant=False, **kwargs)
        return fn(*args, **kwargs)

    return inner


def retry(times: int = 2):
    def decorate(fn):
        @functools.wraps(fn)
        def inner(*a, **k):
            for attempt in range(times):
                try:
                    return fn(*a, **k)
                except RuntimeError:
                    if attempt + 1 == times:
                        raise

        return inner

    return decorate


@retry(times=3)
def flaky_solve(a: Float[Tensor, "n n"], b: Float[Tensor, "n k"]) -> Float[Tensor, "n k"]:
    return torch.linalg.solve(a, b)


@checkpointed
def block(x: Float[Tensor, "b d"], w: Float[Tensor, "d d"]) -> Float[Tensor, "b d"]:
    return torch.tanh(x @ w)


POOLS: dict[str, Callable[[Tensor], Tensor]] = {
    "mean": functools.partial(torch.mean, dim=1),
    "max": lambda x: x.amax(1),
    "first": lambda x: x[:, 0],
    "flat": functools.partial(torch.flatten, start_dim=1),
}


def pool(x: Float[Tensor, "b s d"], how: str) -> Float[Tensor, "b _"]:
    return POOLS[how](x)


def compose(*fns: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    return functools.reduce(lambda f, g: lambda x: g(f(x)), fns)


def make(d: int, **options: Any) -> nn.Module:
    settings = {"act": "gelu", **options}
    return Residual(Gated(d, **settings))


def forward_all(model: nn.Module, *inputs: Float[Tensor, "_ d"], **kw: Any) -> list[Float[Tensor, "_ d"]]:
    return [model(x, **kw) for x in inputs]


def run(x: Float[Tensor, "b s d"]) -> Float[Tensor, "b d"]:
    f = compose(torch.relu, functools.partial(torch.sum, dim=1), torch.Tensor.sqrt)
    return f(x)


# run: m = make(5, act="relu"); forward_all(m, randn(2, 5), randn(3, 5), scale=2.0, bias=randn(5))
# run: flaky_solve(torch.eye(3), randn(3, 2)); block(randn(2, 3, requires_grad=True), randn(3, 3)); [pool(randn(2, 3, 5), h) for h in POOLS]; run(randn(2, 3, 5))
