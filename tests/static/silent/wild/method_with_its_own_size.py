import torch
from jaxtyping import Int
from torch import Tensor


class Consecutive:
    _data: Int[Tensor, "items context_size"]

    def create(self, n_items: int, context_size: int) -> Int[Tensor, "items context_size"]:
        return torch.arange(n_items).unsqueeze(1) + torch.arange(context_size).unsqueeze(0)

    def __init__(self, context_size: int, n_items: int = 100) -> None:
        self._data = self.create(n_items, context_size)

    def first(self) -> Int[Tensor, "context_size"]:
        return self._data[0]


def check() -> None:
    dataset = Consecutive(10)
    data = dataset.create(n_items=3, context_size=5)
    assert data.shape == (3, 5)
    assert dataset.first().shape == (10,)


# run: check()
