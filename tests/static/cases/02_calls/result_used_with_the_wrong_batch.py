import torch
from jaxtyping import Float
from torch import Tensor


def encode(x: Float[Tensor, "batch time mel"]) -> Float[Tensor, "batch time//4 dim=256"]:
    return torch.zeros(x.shape[0], x.shape[1] // 4, 256)


def score(audio: Float[Tensor, "b t m"], text: Float[Tensor, "b l 256"]) -> Float[Tensor, "b l t//4"]:
    return text @ encode(audio).mT  #! return text @ encode(audio)  # E: shape


# run: score(randn(2, 20, 3), randn(2, 7, 256))
