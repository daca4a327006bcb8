import torch
from jaxtyping import Float
from torch import Tensor

MEAN = torch.tensor([0.485, 0.456, 0.406])
STD = torch.tensor([0.229, 0.224, 0.225])


def normalise(x: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b 3 h w"]:
    mean = MEAN[:, None, None]  #! mean = MEAN[:, None]
    return (x - mean) / STD.view(-1, 1, 1)  # E: shape


# run: normalise(randn(2, 3, 5, 7))
