import torch as th
from torch import Tensor, nn


class KeyValueMemory(nn.Module):
    def __init__(self, slots: int, key: int, value: int):
        super().__init__()
        self.slots, self.key, self.value = slots, key, value
        self.keys = nn.Parameter(th.randn(slots, key))
        self.values = nn.Parameter(th.randn(slots, value))

    def forward(self, query: Tensor) -> Tensor:
        assert query.ndim == 2 and query.shape[1] == self.key
        scores = query @ self.keys.t() / self.key**0.5
        assert scores.shape == (query.shape[0], self.slots)
        read = scores.softmax(dim=-1) @ self.values  #! read = scores.softmax(dim=-1) @ self.keys
        assert read.shape == (query.shape[0], self.value)
        return read


def main() -> Tensor:
    return KeyValueMemory(slots=20, key=8, value=12)(th.randn(3, 8))  # E: shape


# run: main()
