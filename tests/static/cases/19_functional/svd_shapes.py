import torch
from jaxtyping import Float
from torch import Tensor


def compress(x: Float[Tensor, "n 16"], k: int) -> Float[Tensor, "n 16"]:
    u, s, vh = torch.linalg.svd(x, full_matrices=False)
    return (u[:, :k] * s[:k]) @ vh[:k]  #! return (u[:, :k] * s[:k]) @ vh[0]  # E: shape


# run: compress(randn(32, 16), 3)
