import torch
from jaxtyping import Bool
from torch import Tensor


def empty_rows(mask: Bool[Tensor, "b s"]) -> Bool[Tensor, "b"]:
    return ~mask.any(dim=1)  #! return ~mask.any(dim=0)  # E: shape


# run: empty_rows(torch.ones(3, 5, dtype=torch.bool))
