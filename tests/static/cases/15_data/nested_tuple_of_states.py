import torch
from jaxtyping import Float
from torch import Tensor

State = tuple[Float[Tensor, "layers b d"], Float[Tensor, "layers b d"]]


def initial(x: Float[Tensor, "b t d"], layers: int) -> State:
    zeros = x.new_zeros(layers, x.shape[0], x.shape[2])  #! zeros = x.new_zeros(layers, x.shape[0])
    return zeros, zeros  # E: shape


# run: initial(randn(2, 3, 5), 4)
