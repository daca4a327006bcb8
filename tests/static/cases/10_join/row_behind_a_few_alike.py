import torch
from jaxtyping import Float, Int
from torch import Tensor


def framed(rows: Float[Tensor, "4 width"], last: Float[Tensor, "1 width"]) -> Float[Tensor, "5 width"]:
    alike = [row[None] for row in rows] + [last]  #! alike = [row[None] for row in rows] + [last[0]]
    return torch.cat(alike)  # E: shape


def spread(rows: Float[Tensor, "4 width"], last: Float[Tensor, "1 width"]) -> Float[Tensor, "5 width"]:
    alike = [row[None] for row in rows]
    return torch.cat([*alike, last])  #! return torch.cat([*alike, torch.cat([last, last[:, :1]], 1)])  # E: shape


def counted(counts: Int[Tensor, "n 2"], weights: Float[Tensor, "2 1 d"]) -> Float[Tensor, "n d"]:
    return torch.einsum("nk,kd->nd", counts.float(), weights[:, 0])  #! return torch.einsum("nk,kd->nd", counts, weights)  # E: shape


# run: framed(randn(4, 3), randn(1, 3))
# run: spread(randn(4, 3), randn(1, 3))
# run: counted(randint(0, 3, (5, 2)), randn(2, 1, 3))
