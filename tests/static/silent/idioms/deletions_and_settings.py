"""Items that are deleted, layers that are set up afterwards, and handlers that a call need not reach."""

import copy

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


def without_channels(x: Float[Tensor, "b c h w"], index: Tensor) -> Tensor:
    shape = list(x.shape)
    del shape[1]
    return index.view(shape)


def moved(x: Tensor, theta: Float[Tensor, "b 6"]) -> Tensor:
    """The rank of x is not known, so neither is that of the grid."""
    return F.grid_sample(x, F.affine_grid(theta.view(-1, 2, 3), x.size(), align_corners=False))


class MaxByMagnitude(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.pool = nn.MaxPool2d(size)
        self.pool.return_indices = True

    def forward(self, x: Float[Tensor, "b c h w"]) -> Tensor:
        _, index = self.pool(x.abs())
        return x.flatten(2).gather(2, index.flatten(2))


class Labels:
    def __init__(self, words: str) -> None:
        self.words = dict(enumerate(words))

    def decode(self, x):
        try:
            return [self.decode(part) for part in x]
        except TypeError:
            return self.words[int(x)]

    def decode_each(self, x):
        try:
            found = []
            for part in x:
                found.append(self.decode_each(part))
            return found
        except TypeError:
            return self.words[int(x)]


def each_loss(loss: nn.Module, x: Tensor, labels: Tensor, parts: int) -> Tensor:
    """The loss that is given may be a mean; its copy is none."""
    each = copy.deepcopy(loss)
    each.reduction = "none"
    return each(x, labels).view(parts, -1).sum(-1)


class Weighted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.loss = nn.MSELoss()

    def forward(self, x: Float[Tensor, "b c"], weights: Float[Tensor, "b"]) -> Tensor:
        setattr(self.loss, "reduction", "none")
        return (self.loss(x, torch.zeros_like(x)).mean(1) * weights).sum()


def run(x: Float[Tensor, "2 3 4 4"]) -> None:
    assert each_loss(nn.CrossEntropyLoss(), torch.ones(6, 3), torch.arange(6) % 3, 2).shape == (2,)
    Weighted()(torch.ones(2, 3), torch.ones(2))
    assert without_channels(x, torch.arange(32)).shape == (2, 4, 4)
    moved(x, torch.zeros(2, 6))
    MaxByMagnitude(2)(x)
    assert Labels("abc").decode(torch.tensor([[0, 1], [2, 2]])) == [["a", "b"], ["c", "c"]]
    assert Labels("abc").decode_each(torch.tensor([[0, 1], [2, 2]])) == [["a", "b"], ["c", "c"]]
    found = {"a": torch.zeros(2), "b": torch.zeros(2, 3)}
    del found["a"]
    assert len(torch.cat(list(found.values()))) == 2


# run: run(randn(2, 3, 4, 4))
