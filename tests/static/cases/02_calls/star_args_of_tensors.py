import torch
from jaxtyping import Float
from torch import Tensor


def fuse(*features: Float[Tensor, "batch _"]) -> Float[Tensor, "batch fused"]:
    return torch.cat(features, dim=-1)


def multimodal(
    image: Float[Tensor, "b i"], text: Float[Tensor, "b t"], audio: Float[Tensor, "b s a"]
) -> Float[Tensor, "b fused"]:
    return fuse(image, text, audio.mean(1))  #! return fuse(image, text, audio)  # E: shape


# run: multimodal(randn(2, 3), randn(2, 5), randn(2, 7, 11))
