import torch
from jaxtyping import Float
from torch import Tensor, nn


class RingBuffer:
    def __init__(self, capacity: int, width: int) -> None:
        self.capacity = capacity
        self.width = width
        self.data = torch.zeros(capacity, width)
        self.head = 0

    def push(self, row: Float[Tensor, "{self.width}"]) -> None:
        self.data[self.head % self.capacity] = row
        self.head += 1

    def mean(self) -> Float[Tensor, "{self.width}"]:
        return self.data.mean(0)  #! return self.data.mean(1)  # E: shape

    def dump(self) -> Float[Tensor, "{self.capacity} {self.width}"]:
        return self.data.roll(-self.head, 0)


# run: r = RingBuffer(4, 3)
# run: r.push(torch.ones(3))
# run: r.dump()
# run: r.mean()
