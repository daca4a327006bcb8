import torch
from jaxtyping import Float
from torch import Tensor, nn


def build(dim: int, hidden: int) -> nn.Sequential:
    net = nn.Sequential(nn.Linear(dim, hidden))
    net.append(nn.ReLU()).append(nn.Linear(hidden, hidden)).extend([nn.ReLU(), nn.Linear(hidden, dim)])  #! net.append(nn.ReLU()).append(nn.Linear(dim, hidden)).extend([nn.ReLU(), nn.Linear(hidden, dim)])
    return net


def run(x: Float[Tensor, "batch 4"]) -> Float[Tensor, "batch 4"]:
    return build(4, 8)(x)  # E: shape


# run: run(torch.rand(3, 4))
