import torch
from jaxtyping import Float
from torch import Tensor


def pooled(
    x: Float[Tensor, "batch time dim"], mask: Float[Tensor, "batch time"]
) -> Float[Tensor, "batch dim"]:
    summed = (x * mask.unsqueeze(-1)).sum(dim=1)
    return summed / mask.sum(dim=1, keepdim=True).clamp(min=1.0)  #! return summed / mask.sum(dim=1).clamp(min=1.0)  # E: shape


def centres(x: Float[Tensor, "n d"], chosen: Float[Tensor, "n k"]) -> Float[Tensor, "k d"]:
    sizes = chosen.sum(dim=0)
    return (chosen.T @ x) / sizes.clamp(min=1).unsqueeze(-1)  #! return (chosen.T @ x) / chosen.sum(dim=0).clamp(min=1)  # E: shape


def directions(g: Float[Tensor, "rows cols"]) -> Float[Tensor, "rows cols"]:
    return g / (g.norm(dim=1, keepdim=True) + 1e-7)  #! return g / (g.norm(dim=1) + 1e-7)  # E: shape


# run: pooled(randn(2, 3, 4), torch.ones(2, 3)), centres(randn(5, 4), torch.eye(5)[:, :3]), directions(randn(2, 3))
