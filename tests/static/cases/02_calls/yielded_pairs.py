from collections.abc import Iterator

import torch
from jaxtyping import Float, Int
from torch import Tensor


def batches(
    x: Float[Tensor, "n d"], y: Int[Tensor, "n"], size: int
) -> Iterator[tuple[Float[Tensor, "b d"], Int[Tensor, "b"]]]:
    for start in range(0, len(x), size):
        yield x[start : start + size], y[start : start + size]


def centroid(x: Float[Tensor, "b d"], y: Int[Tensor, "b"]) -> Float[Tensor, "d"]:
    return x[y > 0].mean(0)


def epoch(x: Float[Tensor, "n d"], y: Int[Tensor, "n"]) -> list[Float[Tensor, "d"]]:
    return [centroid(a, b) for a, b in batches(x, y, 4)]  #! return [centroid(b, a) for a, b in batches(x, y, 4)]  # E: dtype|shape  # e: shape


# run: epoch(randn(8, 3), torch.ones(8).long())
