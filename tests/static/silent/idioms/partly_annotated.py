"""Programs in which some annotations are left out: what nobody says is unknown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, overload

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Rays(NamedTuple):
    origins: Tensor
    directions: Tensor

    def __getitem__(self, i):
        return Rays(*(field[i] for field in tuple(self)))


def first_row(count: int, height: int, width: int) -> Float[Tensor, "{width} 3"]:
    rays = Rays(torch.randn(count, height, width, 3), torch.randn(count, height, width, 3))
    return rays[0][1].origins


class Kernel(nn.Module, ABC):
    @abstractmethod
    def forward(self, x1, x2: Float[Tensor, "*b m d"]) -> Float[Tensor, "*b n m"]: ...

    @abstractmethod
    def scaled(self, x1: Float[Tensor, "*b n d"], x2: Float[Tensor, "*b m d"]) -> Float[Tensor, "*b n m"]: ...

    def gram(self, x):
        k = self(x, x)
        return k + 1e-5 * torch.eye(k.shape[-1])

    def scaled_gram(self, x):
        k = self.scaled(x, x)
        return k + 1e-5 * torch.eye(k.shape[-1])


class RBF(Kernel):
    def forward(self, x1, x2: Float[Tensor, "*b m d"]) -> Float[Tensor, "*b n m"]:
        return torch.exp(-(torch.cdist(x1, x2) ** 2))

    def scaled(self, x1: Float[Tensor, "*b n d"], x2: Float[Tensor, "*b m d"]) -> Float[Tensor, "*b n m"]:
        return 2 * self(x1, x2)


class Clusters:
    """``n`` and ``d`` are the object's in one method, and anybody's in the others."""

    def __init__(self, n: int, d: int) -> None:
        self.w, self.mean = torch.randn(n, d), torch.zeros(d)

    def project(self, x: Float[Tensor, "m d"]) -> Float[Tensor, "m n"]:
        return x @ self.w.T

    def update(self, x: Float[Tensor, "n d"]):
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)

    def assign(self, x: Float[Tensor, "n d"], centres: Float[Tensor, "k d"]):
        return torch.cdist(x, centres).argmin(1)

    def kmeans(self, x: Float[Tensor, "n d"], k: int, turns: int = 3):
        centres = x[torch.randperm(len(x))[:k]]
        for _ in range(turns):
            nearest = self.assign(x, centres)
            new = []
            for j in range(k):
                points = x[nearest == j]
                new.append(points.mean(0) if len(points) else centres[j])
            centres = torch.stack(new)
        return centres, nearest

    def scores(self, x: Float[Tensor, "n d"], centres: Float[Tensor, "k d"]):
        return -torch.cdist(x, centres)

    def soft(self, x: Float[Tensor, "n d"], k: int):
        centres, _ = self.kmeans(x, k)
        for _ in range(2):
            r = self.scores(x, centres).softmax(1)
            centres = (r.T @ x) / r.sum(0)[:, None]
        return r


def softly(m: int) -> Float[Tensor, "{m} 2"]:
    found = Clusters(4, 3)
    found.update(torch.randn(m, 3))
    return found.soft(torch.randn(m, 5), 2)


class Network(nn.Module):
    """Of as many ``features`` as it is given, which may be none."""

    def __init__(self, classes: int, features: int = 0) -> None:
        super().__init__()
        self.stem = nn.Conv1d(3 + features, 8, 1)
        self.head = nn.Conv1d(8 + features, classes, 1)

    def forward(self, xyz: Float[Tensor, "b 3 n"], features=None) -> Float[Tensor, "b classes n"]:
        h = self.stem(torch.cat([xyz, features], 1) if features is not None else xyz)
        return self.head(torch.cat([h, features], 1) if features is not None else h)


def lerp(a, b: Float[Tensor, "*#b"], t: Float[Tensor, "*#b"]) -> Float[Tensor, "*b"]:
    return a + (b - a) * t


def between(x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
    y = lerp(x, torch.zeros(x.shape[1:]), torch.tensor(0.5))
    assert y.shape == x.shape
    return y


@overload
def centred(x) -> Float[Tensor, "b d"]: ...
@overload
def centred(x) -> Float[Tensor, "b t d"]: ...
def centred(x):
    return x - x.mean(-1, keepdim=True)


def centred_steps(x: Float[Tensor, "b t d"], ids: Int[Tensor, "b"]) -> Float[Tensor, "b d"]:
    y = centred(x)
    assert y.ndim == 3
    return y[:, 0]


# run: first_row(3, 4, 5); RBF().gram(randn(4, 3)); RBF().scaled_gram(randn(2, 5)); softly(9)
# run: Network(6)(randn(2, 3, 9)); Network(6, 4)(randn(1, 3, 7), randn(1, 4, 7)); between(randn(2, 5, 4))
# run: centred_steps(randn(2, 3, 4), torch.ones(2).long())
