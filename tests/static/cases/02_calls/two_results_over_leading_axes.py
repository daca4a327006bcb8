import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def centres(
    points: Float[Tensor, "... n 3"], there: Bool[Tensor, "... n"], index: Int[Tensor, "... k"]
) -> tuple[Float[Tensor, "... k 3"], Bool[Tensor, "... k"]]:
    three = index.unsqueeze(-1).expand(*index.shape, 3)
    return torch.gather(points, -2, three), torch.gather(there, -1, index)


def distances(
    points: Float[Tensor, "batch n 3"], there: Bool[Tensor, "batch n"], index: Int[Tensor, "batch k"]
) -> Float[Tensor, "batch k k"]:
    centre, known = centres(points, there, index)
    apart = torch.cdist(centre, centre)
    return apart.masked_fill(~known.unsqueeze(-1), 0.0)  #! return apart.sum(-1).masked_fill(~known, 0.0)  # E: shape


# run: distances(randn(2, 5, 3), randn(2, 5) > 0, randint(0, 5, (2, 4)))
