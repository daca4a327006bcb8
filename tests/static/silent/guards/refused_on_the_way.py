"""What does not fit is refused: by a decorator, by ``zip(strict=True)``, by ``or``, by what is tried first."""

import functools

import numpy as np
import torch
from einops import parse_shape
from jaxtyping import Float
from torch import Tensor


def of_one_shape(function):
    @functools.wraps(function)
    def inner(x, y, *args, **kwargs):
        if x.shape != y.shape:
            raise ValueError(f"{x.shape} and {y.shape}")
        return function(x, y, *args, **kwargs)

    return inner


@of_one_shape
def squared_error(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, ""]:
    return (x - y).square().mean()


def compatible(x, y):
    return x.shape == y.shape


def asks_a_function(function):
    @functools.wraps(function)
    def inner(x, y):
        if not compatible(x, y):
            raise ValueError("shapes differ")
        return function(x, y)

    return inner


def only_if(predicate):
    def decorate(function):
        @functools.wraps(function)
        def inner(*args):
            if not predicate(*args):
                raise ValueError("refused")
            return function(*args)

        return inner

    return decorate


def asks_a_method(function):
    @functools.wraps(function)
    def inner(self, x, y):
        if not self.compatible(x, y):
            raise ValueError("shapes differ")
        return function(self, x, y)

    return inner


@asks_a_function
def total(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    return x + y


@only_if(compatible)
def difference(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    return x - y


@only_if(lambda x, y: len(x) == len(y))
def product(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    return x * y


def skipped_unless_equal(function):
    @functools.wraps(function)
    def inner(x, y):
        return function(x, y) if x.shape == y.shape else x

    return inner


@skipped_unless_equal
def quotient(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    return x / y


class OfOneShape:
    def __init__(self, *tensors):
        self.tensors = tensors

    def __enter__(self):
        assert len({t.shape for t in self.tensors}) == 1

    def __exit__(self, *error): ...


def entered(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    with OfOneShape(x, y):
        return x + y


class Pairs:
    def compatible(self, x, y):
        return x.shape == y.shape

    @asks_a_method
    def total(self, x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
        return x + y


def row_by_row(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    rows = [a + b for a, b in zip(x, y, strict=True)]
    return torch.stack(rows) + y


def added_in_turns(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    total = torch.zeros(x.shape[1])
    for a, b in zip(x, y, strict=True):
        total = total + a * b
    return (x - y) * total


def refuse(why: str) -> None:
    raise ValueError(why)


def or_refused(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    x.shape == y.shape or refuse("of one shape")
    return x + y


def and_refused(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    x.shape != y.shape and refuse("of one shape")
    return y


def tried(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    try:
        torch.broadcast_tensors(x, y)
    except RuntimeError:
        return x
    return x + y


def in_arrays(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    if (np.array(x.shape) == np.array(y.shape)).all():
        return x + y
    return x


def parsed(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    if parse_shape(x, "n d") == parse_shape(y, "n d"):
        return x + y
    return x


# run: x, y = torch.randn(3, 2), torch.randn(3, 2)
# run: squared_error(x, y); row_by_row(x, y); added_in_turns(x, y); or_refused(x, y); and_refused(x, y)
# run: entered(x, y); quotient(x, y); quotient(x, y[:2]); total(x, y); difference(x, y); product(x, y); Pairs().total(x, y)
# run: for other in (y, torch.randn(4, 2)): tried(x, other), in_arrays(x, other), parsed(x, other)
