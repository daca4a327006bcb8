import torch
from jaxtyping import Float, Int
from torch import Tensor


def confidence(conf: Float[Tensor, "n"], which: Int[Tensor, "n"]) -> Float[Tensor, "10"]:
    sure = (conf > 0.5).float()  #! sure = (conf > 0.5).float().mean()
    return torch.zeros(10).scatter_add_(0, which, sure)  # E: shape


# run: confidence(torch.rand(7), torch.randint(0, 10, (7,)))
