"""Tokens of a square picture: the side that a caller gives is what n // side leaves."""

from einops import rearrange
from jaxtyping import Float
from torch import Tensor


def to_image(x: Float[Tensor, "b n d"], side: int) -> Float[Tensor, "b d {side} {side}"]:
    return rearrange(x, "b (h w) d -> b d h w", h=side)


def to_image_by_reshape(x: Float[Tensor, "b n d"], side: int) -> Float[Tensor, "b d {side} {side}"]:
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], side, -1)


def unflattened(x: Float[Tensor, "b n d"], side: int) -> Float[Tensor, "b {side} {side} d"]:
    return x.unflatten(1, (side, -1))


def unpatchify(x: Float[Tensor, "b n d"], p: int, side: int) -> Float[Tensor, "b c {side*p} {side*p}"]:
    return rearrange(x, "b (h w) (c p q) -> b c (h p) (w q)", h=side, p=p, q=p)


def unpatchified(x: Float[Tensor, "b n d"], p: int, side: int) -> Float[Tensor, "b c hp hp"]:
    return rearrange(x, "b (h w) (c p q) -> b c (h p) (w q)", h=side, p=p, q=p)


def added(x: Float[Tensor, "b n d"], grid: Float[Tensor, "b d s s"], side: int) -> Float[Tensor, "b d s s"]:
    return to_image(x, side) + to_image_by_reshape(x, side) + grid


# run: to_image(randn(2, 9, 4), 3)
# run: to_image_by_reshape(randn(2, 9, 4), 3)
# run: unflattened(randn(2, 9, 4), 3)
# run: unpatchify(randn(2, 9, 12), 2, 3)
# run: unpatchified(randn(2, 9, 12), 2, 3)
# run: added(randn(2, 9, 4), randn(2, 4, 3, 3), 3)
