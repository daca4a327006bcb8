"""Bodies that use a constant of the program are written for that many, whatever an annotation calls the axis."""
from collections.abc import Iterator
from enum import Enum

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

NUM_CLASSES = 10
PARENTS = [-1, 0, 0, 1, 2]
NAMES = ("nose", "eye", "ear", "hip")
ANCHORS = torch.tensor([[10.0, 13], [16, 30], [33, 23]])
COLUMNS = {"x": 1, "y": 2, "z": 0}


class Joint(Enum):
    NECK = 0
    HEAD = 1
    HAND = 2
    FOOT = 3
    KNEE = 4


def smoothed(y: Int[Tensor, "b"], logits: Float[Tensor, "b k"]) -> Float[Tensor, "b k"]:
    return F.one_hot(y, NUM_CLASSES).float() * 0.9 + 0.1 / NUM_CLASSES


def of_parents(rot: Float[Tensor, "b j 3"]) -> Float[Tensor, "b j 3"]:
    return torch.stack([rot[:, p] for p in PARENTS], 1)


def rest_pose(rot: Float[Tensor, "b j 3"]) -> Float[Tensor, "b j 3"]:
    return torch.zeros(len(rot), len(NAMES), 3)


def anchors(x: Float[Tensor, "b a 2"]) -> Float[Tensor, "b a 2"]:
    return ANCHORS[None].repeat(len(x), 1, 1)


def picked(x: Float[Tensor, "b k"]) -> Float[Tensor, "b k"]:
    return torch.stack([torch.sigmoid(x[:, i]) for i in COLUMNS.values()], 1)


def by_joint(x: Float[Tensor, "b j 3"]) -> Float[Tensor, "b j"]:
    return torch.stack([x[:, joint.value].norm(dim=-1) for joint in Joint], 1)


def rows(x: Float[Tensor, "b k"]) -> Iterator[Float[Tensor, "k"]]:
    for row in x:
        yield torch.stack([row[i] for i in range(NUM_CLASSES)])
        yield torch.zeros(NUM_CLASSES)


class Skeleton:
    parents = [0, 0, 1]
    width = 7

    def __init__(self) -> None:
        self.order = [0, 0, 1, 2]

    def of_class(self, rot: Float[Tensor, "b j 3 3"]) -> Float[Tensor, "b j 3 3"]:
        return torch.stack([rot[:, p] for p in self.parents], 1)

    def of_object(self, rot: Float[Tensor, "b j 3 3"]) -> Float[Tensor, "b j 3 3"]:
        return torch.stack([rot[:, p] for p in self.order], 1)

    def padded(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        return torch.zeros(len(x), self.width)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(32, NUM_CLASSES)

    def forward(self, x: Float[Tensor, "b 32"], before: Float[Tensor, "b k"]) -> Float[Tensor, "b k"]:
        return self.fc(x)


# run: smoothed(torch.randint(10, (3,)), torch.randn(3, 10)); of_parents(torch.randn(2, 5, 3)); rest_pose(torch.randn(2, 4, 3))
# run: anchors(torch.randn(2, 3, 2)); picked(torch.randn(2, 3)); by_joint(torch.randn(2, 5, 3))
# run: s = Skeleton(); s.of_class(torch.randn(2, 3, 3, 3)); s.of_object(torch.randn(2, 4, 3, 3)); s.padded(torch.randn(2, 7))
# run: list(rows(torch.randn(2, 10)))
# run: Net()(torch.randn(3, 32), torch.randn(3, 10))
