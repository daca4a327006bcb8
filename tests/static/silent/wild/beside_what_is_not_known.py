"""What tensors make with something of which nothing is known: an object of its class, or of as many axes."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn


@dataclass
class Points:
    x: Tensor

    def __sub__(self, other: Points) -> Points:
        return Points(self.x - other.x)

    def __truediv__(self, other: Tensor) -> Points:
        return Points(self.x / other)

    def __rmul__(self, other: Tensor) -> Points:
        return Points(self.x * other)

    def total(self) -> Points:
        return Points(self.x.sum(-1, keepdim=True))


@dataclass
class Turn:
    angle: float

    def apply(self, points: Points) -> Points:
        return Points(self.angle * points.x)


def centred(points: Points, mask: Tensor, turn: Turn) -> Points:
    center = points.total() / mask.sum(-1, keepdim=True)
    points = points - center
    return turn.apply(points)


def restored(text: bytes, mask: Float[Tensor, "b n"]) -> Tensor:
    points = pickle.loads(text)
    return centred(points, mask, Turn(2.0)).x


def scaled(text: bytes, mask: Float[Tensor, "b n"]) -> Tensor:
    noise = mask * pickle.loads(text)
    return Turn(0.5).apply(noise).x


def fitted(depths: Tensor, estimated: Tensor, steps: int = 2) -> Tensor:
    scale = nn.Parameter(torch.tensor([1.0]))
    shift = nn.Parameter(torch.tensor([0.0]))
    optimizer = torch.optim.Adam([scale, shift])
    loss_of = nn.MSELoss()
    depth, guess = depths[0, ...].float(), estimated[0, ...].float()
    mask = depth > 0.5
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(depth[mask], scale * guess[mask] + shift)
        loss.backward()
        optimizer.step()
    return scale


# run: assert restored(pickle.dumps(Points(torch.rand(2, 3))), torch.ones(2, 3)).shape == (2, 3)
# run: assert scaled(pickle.dumps(Points(torch.rand(2, 3))), torch.ones(2, 3)).shape == (2, 3)
# run: assert fitted(torch.rand(1, 4, 5), torch.rand(1, 4, 5)).shape == (1,)
