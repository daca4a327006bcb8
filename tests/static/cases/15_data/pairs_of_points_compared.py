from itertools import combinations

import torch
from jaxtyping import Float
from torch import Tensor


def disagreement(views: list[Float[Tensor, "batch dim"]]) -> Float[Tensor, "pairs batch"]:
    found = []
    for one, other in combinations(views, 2):
        found.append((one - other).norm(dim=-1))  #! found.append((one - other.T).norm(dim=-1))  # E: shape
    return torch.stack(found)


# run: disagreement([torch.randn(5, 3) for _ in range(4)])
