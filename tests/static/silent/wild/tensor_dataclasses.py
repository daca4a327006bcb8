"""Dataclasses of tensors that broadcast their fields to each other once they are made."""

from dataclasses import dataclass, fields

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn


class TensorData:
    def __post_init__(self) -> None:
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        batch = torch.broadcast_shapes(*(value.shape[:-1] for value in found.values()))
        for name, value in found.items():
            object.__setattr__(self, name, value.broadcast_to((*batch, value.shape[-1])))


@dataclass
class Samples(TensorData):
    index: Int[Tensor, "*bs 1"]
    deltas: Float[Tensor, "*#bs 1"]


class Cameras(TensorData):
    times: Float[Tensor, "cameras 1"]
    poses: Float[Tensor, "cameras 12"]

    def __init__(self, poses: Float[Tensor, "cameras 12"], times: Float[Tensor, "..."]) -> None:
        self.poses = poses
        self.times = times
        self.finish()

    def finish(self) -> None:
        for name, value in list(vars(self).items()):
            setattr(self, name, value.broadcast_to((*self.poses.shape[:-1], value.shape[-1])))


def pair(v: Float[Tensor, "n 1 2"]) -> Float[Tensor, "n 2"]:
    return v[:, 0]


def normals(v: Float[Tensor, "n m d"]) -> Float[Tensor, "n d"]:
    """For one vector in two dimensions, two in three, and so on."""
    match v.shape[-1]:
        case 2:
            return pair(v)
    return v.sum(1)


class Widths(nn.Module):
    """An unannotated dispatch on an attribute leaves every way open."""

    def __init__(self, width: int, deep: bool) -> None:
        super().__init__()
        self.deep = deep
        self.layers = nn.ModuleList([nn.Linear(width, width)] * 2)

    def forward(self, x: Shaped[Tensor, "b width"]) -> Shaped[Tensor, "b width"]:
        return self.layers[1](self.layers[0](x)) if self.deep else self.layers[0](x)


@dataclass
class Rays:
    origins: Float[Tensor, "*n 3"]

    def at(self, depth: Float[Tensor, "*#n k"]) -> Float[Tensor, "*n k 3"]:
        return self.origins[..., None, :] + depth[..., None]


TABLE = torch.zeros(4, 3)


def looked_up(x: Float[Tensor, "*#n 3"]) -> Float[Tensor, "*n 3"]:
    return TABLE + x


def broadened() -> None:
    rays = Rays(torch.zeros(4, 6, 3))
    by_column = rays.at(torch.zeros(6, 5))
    of_all = rays.at(torch.zeros(1, 5))
    rows = looked_up(torch.zeros(1, 3))
    print(by_column.view(24, 5, 3) + of_all.view(24, 5, 3), rows.view(2, 2, 3))


def use(deltas: Float[Tensor, "5 4 1"], index: Int[Tensor, "5 1"]) -> Float[Tensor, "5 4 1"]:
    cameras = Cameras(torch.ones(3, 12), torch.ones(1))
    assert cameras.times.shape == (3, 1)
    normals(torch.randn(4, 1, 2))
    normals(torch.randn(4, 2, 3))
    Widths(3, True)(torch.randn(2, 3))
    return Samples(index[..., None].expand(-1, 4, -1), deltas).deltas


# run: use(randn(5, 4, 1), randint(0, 3, (5, 1))); broadened()
