"""A generic container is asked for an item: what it holds has the shape of its argument."""

from typing import Generic, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor

T = TypeVar("T")
Spectrogram = Float[Tensor, "mels frames"]


class Cached(Generic[T]):
    def __init__(self, items: list[T]) -> None:
        self.items = items

    def __getitem__(self, index: int) -> T:
        return self.items[index]


def first_frame(data: Cached[Spectrogram]) -> Float[Tensor, "mels"]:
    spectrogram = data[0]
    return spectrogram[:, 0]  #! return spectrogram[:, :1]  # E: shape


# run: first_frame(Cached([torch.rand(4, 5)]))
