"""A mode may be why axes of two tensors are one, but not those of one tensor for want of an axis."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn


def pool(x: Float[Tensor, "b n d"], mask: Bool[Tensor, "b n"], kind: str) -> Float[Tensor, "b d"]:
    if kind == "mean":
        return (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)  #! return (x * mask).sum(1) / mask.sum(1, keepdim=True)  # E: shape
    return x.sum(1)


def score(q: Float[Tensor, "b q d"], k: Float[Tensor, "b k d"], kind: str) -> Float[Tensor, "b q k"]:
    if kind == "dot":
        return q @ k.mT  #! return q @ k  # E: shape
    return -torch.cdist(q, k)


class LowRank(nn.Module):
    def __init__(self, base: nn.Linear, rank: int) -> None:
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(rank, base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))
        self.enabled = True

    def forward(self, x: Float[Tensor, "... inp"]) -> Float[Tensor, "... out"]:
        y = self.base(x)
        if self.enabled:
            y = y + x @ self.down.T @ self.up.T  #! y = y + x @ self.down @ self.up.T  # E: shape
        return y


def switch_off(model: nn.Module) -> None:
    for module in model.modules():
        if isinstance(module, LowRank):
            module.enabled = False


def mix(a: Float[Tensor, "b n"], b: Float[Tensor, "b m"], w: Float[Tensor, "k l"], mode: str) -> Float[Tensor, "b n"]:
    if mode == "add":
        return a + b  # whoever says so knows that m is n
    if mode == "symmetric":
        return a + (w + w.T).sum()  # likewise that w is a square
    return a * 2


# run: x, mask = randn(2, 3, 4), torch.ones(2, 3).bool()
# run: pool(x, mask, "mean"), pool(x, mask, "sum")
# run: score(x, randn(2, 5, 4), "dot"), score(x, randn(2, 5, 4), "distance")
# run: net = LowRank(nn.Linear(4, 5), 2)
# run: net(x), switch_off(net), net(x)
# run: mix(randn(2, 3), randn(2, 3), randn(2, 2), "add"), mix(randn(2, 3), randn(2, 3), randn(2, 2), "symmetric")
