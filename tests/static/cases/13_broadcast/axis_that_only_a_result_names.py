from collections.abc import Iterator

import torch
from jaxtyping import Float, Int
from torch import Tensor


def retrieve(
    query: Float[Tensor, "d"], table: Float[Tensor, "n d"]
) -> tuple[Float[Tensor, "k"], Float[Tensor, "k d"]]:
    scores = table @ query
    near = scores > scores.mean()
    return scores[near], table[near]


def read_out(query: Float[Tensor, "d"], table: Float[Tensor, "n d"]) -> Float[Tensor, "d"]:
    scores, rows = retrieve(query, table)
    return (scores[:, None] * rows).sum(0)  #! return (scores * rows).sum(0)  # E: shape


def minibatches(
    x: Float[Tensor, "n d"], y: Int[Tensor, "n"], size: int
) -> Iterator[tuple[Float[Tensor, "b d"], Int[Tensor, "b"]]]:
    for chosen in torch.randperm(len(x)).split(size):
        yield x[chosen], y[chosen]


def hits(x: Float[Tensor, "n d"], y: Int[Tensor, "n"], w: Float[Tensor, "d classes"]) -> int:
    count = 0
    for xs, ys in minibatches(x, y, 2):
        count += int(((xs @ w).argmax(1) == ys).sum())  #! count += int(((xs @ w).argmax(1) == xs).sum())  # E: shape
    return count


# run: read_out(torch.ones(3), torch.arange(12.0).reshape(4, 3)), hits(randn(5, 3), torch.zeros(5).long(), randn(3, 4))
