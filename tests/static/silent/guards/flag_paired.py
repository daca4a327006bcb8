import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

A, B = Float[Tensor, "n d"], Float[Tensor, "m d"]


def distance(x: A, y: B, paired: bool = False) -> Float[Tensor, "n *m"]:
    if paired:
        return (x - y).norm(dim=1)
    return torch.cdist(x, y)


def larger(x: A, y: B, aligned: bool = False) -> Float[Tensor, "n *m"]:
    if aligned:
        return torch.maximum(x, y).sum(1)
    return torch.maximum(x[:, None], y).sum(-1)


def smaller(x: A, y: B, per_pair: bool = False) -> Float[Tensor, "n *m"]:
    left = x if per_pair else x[:, None]
    return torch.minimum(left, y).sum(-1)


def products(x: A, y: B, elementwise: bool = False) -> Float[Tensor, "n *m"]:
    if elementwise:
        return torch.einsum("nd,nd->n", x, y)
    return torch.einsum("nd,md->nm", x, y)


def cosine(x: A, y: B, pairwise: bool = True) -> Float[Tensor, "n *m"]:
    if pairwise:
        x = x[:, None]
    return F.cosine_similarity(x, y, dim=-1)


def stacked(x: A, y: B, aligned: bool = False) -> Float[Tensor, "n *m"]:
    if aligned:
        return torch.stack([x, y]).sum((0, -1))
    return (x[:, None] + y).sum(-1)


def main() -> None:
    x, y = torch.randn(4, 3), torch.randn(2, 3)
    for function in (distance, larger, smaller, products, stacked):
        function(x, y)
        function(x, x, True)
    cosine(x, y), cosine(x, x, False)


# run: main()
