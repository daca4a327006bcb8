import torch
from jaxtyping import Float, Int
from torch import Tensor


def one_hot(index: Int[Tensor, "b"], classes: int) -> Float[Tensor, "b {classes}"]:
    out = torch.zeros(index.shape[0], classes)
    return out.scatter_(1, index.unsqueeze(1), 1.0)  #! return out.scatter_(1, index, 1.0)  # E: shape


# run: one_hot(randint(0, 5, (3,)), 5)
