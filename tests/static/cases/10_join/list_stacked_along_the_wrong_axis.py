import torch
from jaxtyping import Float
from torch import Tensor


def collate(embeddings: list[Float[Tensor, "dim"]]) -> Float[Tensor, "batch dim"]:
    return torch.stack(embeddings, dim=0)  #! return torch.stack(embeddings, dim=1)  # E: shape


# run: collate([torch.randn(3) for _ in range(5)])
