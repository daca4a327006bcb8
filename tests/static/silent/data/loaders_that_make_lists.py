"""A loader gives a list where an item has a tuple, and tensors where it has arrays; numbers that numpy counted."""

from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self) -> None:
        self.first, self.second = torch.randn(8, 4), torch.randn(8, 5)

    def __len__(self) -> int:
        return 8

    def __getitem__(self, i: int) -> Any:
        return (self.first[i], self.second[i]), i


class Rows(Dataset):
    def __init__(self) -> None:
        self.rows = np.zeros((8, 4), dtype=np.float32)

    def __len__(self) -> int:
        return 8

    def __getitem__(self, i: int) -> Any:
        return self.rows[i], {"more": [self.rows[i], 2.0]}


def moved(x: Any) -> Any:
    return [part.to("cpu") for part in x] if isinstance(x, list) else x.to("cpu")


def pairs() -> list[Float[Tensor, "b 9"]]:
    found = []
    for x, y in DataLoader(Pairs(), batch_size=4):
        first, second = moved(x)
        found.append(torch.cat([first, second], dim=1) + moved(y)[:, None])
    return found


def changed() -> None:
    for batch in DataLoader(Pairs(), batch_size=4):
        batch[0] = moved(batch[0])
        batch.append(batch.pop().float())
        print(batch[1] + batch[0][0].sum(1))


def rows() -> None:
    for row, more in DataLoader(Rows(), batch_size=None):
        print(row.to("cpu").unsqueeze(0), more["more"][0].cpu(), more["more"][1] + 1)


def shuffled(groups: list[int]) -> Int[np.ndarray, "n"]:
    numbers = np.array(groups)
    return np.random.permutation(np.max(numbers) + 1)[numbers]


def remaining(value: Float[Tensor, "b"], done: np.ndarray) -> Float[Tensor, "b"]:
    return value * (1 - value.new_tensor(done)) * (1 - value.new_tensor(torch.from_numpy(done)))


# run: pairs(); changed(); rows()
# run: shuffled([0, 2, 1, 2]); remaining(randn(3), np.array([True, False, True]))
