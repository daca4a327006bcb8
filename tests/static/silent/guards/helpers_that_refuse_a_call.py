"""A helper raises for the sizes of one call: what stands behind it in that call is not reached."""

import torch
from jaxtyping import Float
from torch import Tensor


class ShapeError(ValueError):
    pass


def same_shape(x, y):
    if x.shape != y.shape:
        raise ShapeError("shapes differ")


def check_shape(x: Tensor, wanted: tuple[int | None, ...]) -> None:
    for size, one in zip(x.shape, wanted):
        if one is not None and size != one:
            raise ShapeError(f"{tuple(x.shape)} is not {wanted}")


def residual(x: Float[Tensor, "b d_in"], y: Float[Tensor, "b d_out"]) -> Float[Tensor, "b d_out"]:
    same_shape(x, y)
    return x + y


def scaled(x: Float[Tensor, "b d"], by: Float[Tensor, "k"]) -> Float[Tensor, "b d"]:
    check_shape(by, (x.shape[1],))
    return x * by


def summed(x, y):
    same_shape(x, y)
    return x + y


def refused() -> int:
    count = 0
    for call in (residual, summed):
        try:
            call(torch.ones(2, 5), torch.ones(2, 6))
        except ShapeError:
            count += 1
    try:
        residual(torch.ones(2, 5), torch.ones(2, 6))
    except ShapeError:
        count += 1
    try:
        summed(torch.ones(2, 5), torch.ones(2, 6))
    except ShapeError:
        count += 1
    try:
        scaled(torch.ones(2, 5), torch.ones(6))
    except ShapeError:
        count += 1
    return count


# run: residual(randn(2, 5), randn(2, 5))
# run: scaled(randn(2, 5), randn(5))
# run: refused()
