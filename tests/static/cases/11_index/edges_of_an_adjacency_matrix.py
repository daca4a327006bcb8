import torch
from jaxtyping import Float, Int
from torch import Tensor


def edges_within(pos: Float[Tensor, "n 3"], cutoff: float) -> Int[Tensor, "2 edges"]:
    close = torch.cdist(pos, pos) < cutoff
    close.fill_diagonal_(False)
    return close.nonzero().t()  #! return close.nonzero()  # E: shape


def degrees(pos: Float[Tensor, "n 3"], cutoff: float) -> Int[Tensor, "n"]:
    src, _ = edges_within(pos, cutoff)
    return torch.zeros(len(pos), dtype=torch.long).index_add(0, src, torch.ones_like(src))


# run: degrees(torch.tensor([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [9, 9, 9]]), 2.0)
