import torch
from jaxtyping import Float
from torch import Tensor, nn


def histogram(x: Float[Tensor, "b n"], bins) -> Float[Tensor, "b k"]:
    edges = torch.linspace(0, 1, bins)
    return (-((x[:, :, None] - edges) ** 2) * bins).exp().mean(1)


def main():
    head = nn.Linear(12, 3)
    return head(histogram(torch.rand(4, 50), 12))  #! return head(histogram(torch.rand(4, 50), 13))  # E: shape


# run: main()
