import torch
from jaxtyping import Float, Int
from torch import Tensor


def kmeans(x: Float[Tensor, "n d"], k: int, steps: int) -> tuple[Float[Tensor, "k d"], Int[Tensor, "n"]]:
    centres = x[:k]
    nearest = torch.cdist(x, centres).argmin(1)
    for _ in range(steps):
        centres = torch.stack([x[nearest == j].mean(dim=0) for j in range(k)])  #! centres = torch.stack([x[nearest == j].mean(dim=1) for j in range(k)])
        nearest = torch.cdist(x, centres).argmin(1)  # E: shape
    return centres, nearest


# run: kmeans(torch.arange(15.0).view(5, 3), 1, 2)
