import torch
from jaxtyping import Float
from torch import Tensor


def add_positions(
    x: Float[Tensor, "batch seq dim"], table: Float[Tensor, "most dim"]
) -> Float[Tensor, "batch seq dim"]:
    if x.shape[1] > table.shape[0]:
        raise ValueError(f"{x.shape[1]} tokens are too many")
    return x + table[: x.shape[1]]  #! return x.mT + table[: x.shape[1]]  # E: shape


def add_later(
    x: Float[Tensor, "batch seq dim"], table: Float[Tensor, "most dim"], start: int
) -> Float[Tensor, "batch seq dim"]:
    if start + x.shape[1] > table.shape[0]:
        raise ValueError("too many tokens")
    scaled = x * x.shape[2] ** 0.5  #! scaled = x.mT * x.shape[2] ** 0.5
    return scaled + table[start : start + x.shape[1]]  # E: shape


def recent(x: Float[Tensor, "batch seq dim"], window: int, w: Float[Tensor, "dim out"]) -> Tensor:
    assert x.shape[1] >= window > 0
    return x[:, -window:] @ w  #! return x[:, -window:] @ w.T  # E: shape


def pooled(x: Float[Tensor, "batch seq dim"]) -> Float[Tensor, "batch dim"]:
    if x.size(1) < 2:
        return x.sum(1)
    scores = torch.einsum("bsd,btd->bst", x, x).sum(-1)
    return torch.einsum("bs,bsd->bd", scores, x)  #! return (scores @ x)  # E: shape


# run: add_positions(randn(2, 5, 3), randn(7, 3))
# run: add_later(randn(2, 5, 3), randn(9, 3), 2)
# run: recent(randn(2, 5, 3), 4, randn(3, 7))
# run: pooled(randn(2, 5, 3))
