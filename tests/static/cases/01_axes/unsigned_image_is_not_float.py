import torch
from jaxtyping import Float, UInt8
from torch import Tensor


def sharpen(image: Float[Tensor, "c h w"]) -> Float[Tensor, "c h w"]:
    return (image * 1.5 - 0.25).clamp(0, 1)


def process(raw: UInt8[Tensor, "c h w"]) -> UInt8[Tensor, "c h w"]:
    out = sharpen(raw / 255)  #! out = sharpen(raw)  # E: dtype
    return (out * 255).to(torch.uint8)


# run: process(randint(0, 255, (3, 5, 7)).to(torch.uint8))
