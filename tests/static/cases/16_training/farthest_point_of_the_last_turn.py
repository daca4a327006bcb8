import torch
from jaxtyping import Float, Int
from torch import Tensor


def farthest(points: Float[Tensor, "b n 3"], m: int) -> Int[Tensor, "b m"]:
    b, n, _ = points.shape
    chosen = torch.zeros(b, m, dtype=torch.long)
    best = torch.full((b, n), float("inf"))
    last = torch.zeros(b, dtype=torch.long)
    rows = torch.arange(b)
    for i in range(m):
        chosen[:, i] = last  # E: shape
        centre = points[rows, last].unsqueeze(1)  # e: shape
        best = torch.minimum(best, (points - centre).square().sum(-1))
        last = best.argmax(-1)  #! last = best.max(-1)
    return chosen


# run: farthest(randn(2, 9, 3), 4)
