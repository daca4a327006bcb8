import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def dispatch(x: Float[Tensor, "tokens d"], expert: Int[Tensor, "tokens"]) -> Float[Tensor, "8 d"]:
    route = F.one_hot(expert, 8).float()  #! route = F.one_hot(expert, 8)
    return route.T @ x  # E: dtype


# run: dispatch(randn(5, 3), randint(0, 8, (5,)))
