import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def same_series(
    series: Int[Tensor, "batch time"] | None, kept: Bool[Tensor, "batch time"] | None
) -> Bool[Tensor, "batch time time"]:
    same = torch.eq(series.unsqueeze(-1), series.unsqueeze(-2))
    return torch.logical_and(same, kept.unsqueeze(-1))  #! return torch.logical_and(same, kept)  # E: shape|broadcast


def weighted(
    loss: Float[Tensor, "batch time"], kept: Bool[Tensor, "batch time"] | None
) -> Float[Tensor, "batch"]:
    return (loss * kept).sum(dim=-1)


# run: weighted(randn(3, 5), randn(3, 5) > 0)
# run: same_series(randint(0, 2, (3, 5)), randn(3, 5) > 0)
