"""A flag, or an argument that is left out, may say that two axes of a signature are one."""

import torch
from jaxtyping import Float
from torch import Tensor


def replace(x: Tensor) -> Tensor:
    made: Tensor = torch.stack(list(x.unbind(0)))
    return made


def update(
    scores: Float[Tensor, "b attributed"],
    inputs: Float[Tensor, "b seq"],
    target: Float[Tensor, "b rest"] | None = None,
    whole: bool = False,
) -> Float[Tensor, "b attributed"]:
    if whole and target is not None:
        delta = replace(torch.cat((inputs, target), 1))
    else:
        delta = replace(inputs)
    return scores + delta


def attend(
    x: Float[Tensor, "b n d"],
    allowed: Float[Tensor, "b n m"],
    context: Float[Tensor, "b m d"] | None = None,
) -> Float[Tensor, "b n d"]:
    keys = x if context is None else context
    scores = x @ keys.transpose(1, 2) + allowed
    return scores.softmax(-1) @ keys


# run: update(randn(2, 3), randn(2, 3)), update(randn(2, 5), randn(2, 3), randn(2, 2), True)
# run: attend(randn(2, 3, 4), randn(2, 3, 3)), attend(randn(2, 3, 4), randn(2, 3, 5), randn(2, 5, 4))
# one: without context m is n, and the body is checked for that call too
