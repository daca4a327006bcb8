import torch
from collections.abc import Iterator
from jaxtyping import Float, Int
from torch import Tensor, nn


def batches(
    x: Float[Tensor, "n d"], y: Int[Tensor, "n"], size: int
) -> Iterator[tuple[Float[Tensor, "b d"], Int[Tensor, "b"]]]:
    order = torch.randperm(len(x))
    for i in range(0, len(x), size):
        idx = order[i : i + size]
        yield x[idx], y[idx]


def nll(logits: Float[Tensor, "b classes"], y: Int[Tensor, "b"]) -> Float[Tensor, ""]:
    return nn.functional.cross_entropy(logits, y)


def train(x: Float[Tensor, "n d"], y: Int[Tensor, "n"], head: nn.Linear) -> float:
    total = 0.0
    for xb, yb in batches(x, y, 4):
        loss = nll(head(xb), yb)  #! loss = nll(yb, head(xb))  # E: dtype
        loss.backward()
        total += loss.item()
    return total


# run: train(randn(8,3), torch.zeros(8).long(), torch.nn.Linear(3,2))
