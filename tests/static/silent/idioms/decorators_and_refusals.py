"""Decorators that change what they decorate, or may; operators that are tried."""

import functools
import os

import torch
from beartype import beartype
from jaxtyping import Float, jaxtyped
from torch import Tensor

STRICT = bool(os.environ.get("STRICT_SHAPES"))
typed = jaxtyped(typechecker=beartype) if STRICT else (lambda f: f)


def batched(f):
    @functools.wraps(f)
    def of_each(x, *rest):
        return torch.stack([f(row, *rest) for row in x])

    return of_each


def doubled(f):
    def inner(x):
        return f(torch.cat([x, x]))

    return inner


def first_of(f):
    return lambda *args: f(*args)[0]


@typed
def total(x: Float[Tensor, "n d"]) -> Float[Tensor, "n"]:
    return x.sum(1)


@batched
def means(x: Float[Tensor, "n d"]) -> Float[Tensor, "n"]:
    return x.mean(1)


@doubled
def norms(x: Float[Tensor, "n d"]) -> Float[Tensor, "n"]:
    return x.norm(dim=1)


@first_of
def sums(x: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n"], Float[Tensor, "d"]]:
    return x.sum(1), x.sum(0)


def all_of_them(x: Float[Tensor, "k n d"]) -> Float[Tensor, "2*n"]:
    of_each = means(x)
    return torch.cat([total(x[0]), of_each.sum(0) + sums(x[0])]) + norms(x[0])


def whichever_fits(a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
    for other in (b, b.T):
        try:
            out = a @ other
            break
        except RuntimeError as error:
            reason = error
    else:
        raise reason
    return out


def one_or_all(x: Float[Tensor, "b d"], n: int) -> Float[Tensor, "b d"]:
    return x + torch.zeros(n, x.shape[1])


def rows(x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    return one_or_all(x, 1) + one_or_all(x, x.shape[0])


# run: all_of_them(randn(2, 3, 4)); whichever_fits(randn(2, 3), randn(4, 3)); rows(randn(3, 2))
