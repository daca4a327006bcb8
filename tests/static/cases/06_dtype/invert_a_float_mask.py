import torch
from jaxtyping import Bool, Float
from torch import Tensor


def padded(lengths: Float[Tensor, "b"], x: Float[Tensor, "b t d"]) -> Bool[Tensor, "b t"]:
    valid = torch.arange(x.shape[1]) < lengths[:, None]  #! valid = (torch.arange(x.shape[1]) < lengths[:, None]).float()
    return ~valid  # E: dtype


# run: padded(torch.tensor([2.0, 3.0]), randn(2, 5, 7))
