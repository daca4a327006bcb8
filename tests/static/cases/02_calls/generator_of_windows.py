from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor


def chunks(x: Float[Tensor, "t d"], size: int) -> Iterator[Float[Tensor, "{size} d"]]:
    for start in range(0, x.shape[0] - size + 1, size):
        yield x[start : start + size]


def features(x: Float[Tensor, "t d"]) -> list[Float[Tensor, "d"]]:
    out = []
    for chunk in chunks(x, 4):
        out.append(energy(chunk))  #! out.append(energy(chunk.T))  # E: shape
    return out  # e: shape


def energy(chunk: Float[Tensor, "4 d"]) -> Float[Tensor, "d"]:
    return chunk.square().sum(0)


# run: features(randn(12, 5))
