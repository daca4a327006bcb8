import torch
from jaxtyping import Float
from torch import Tensor


def cross_attend(
    *,
    query: Float[Tensor, "b q d"],
    context: Float[Tensor, "b k d"],
    mask: Float[Tensor, "b q k"],
) -> Float[Tensor, "b q d"]:
    scores = query @ context.transpose(1, 2) + mask
    return scores.softmax(-1) @ context


def decode(
    latents: Float[Tensor, "b l d"], pixels: Float[Tensor, "b p d"], mask: Float[Tensor, "b l p"]
) -> Float[Tensor, "b l d"]:
    return cross_attend(  # e: shape
        query=latents,  #! query=pixels,
        context=pixels,  #! context=latents,
        mask=mask,  # E: shape
    )


# run: decode(randn(2, 3, 5), randn(2, 7, 5), randn(2, 3, 7))
