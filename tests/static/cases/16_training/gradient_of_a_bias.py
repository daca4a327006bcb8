import torch
from jaxtyping import Float
from torch import Tensor, nn


def orthogonal(g: Float[Tensor, "rows cols"]) -> Float[Tensor, "rows cols"]:
    return 1.5 * g - 0.5 * g @ g.T @ g


def train(d: int, out: int) -> None:
    layer = nn.Linear(d, out)
    layer(torch.rand(7, d)).sum().backward()
    orthogonal(layer.weight.grad)  #! orthogonal(layer.bias.grad)  # E: shape


# run: train(3, 4)
