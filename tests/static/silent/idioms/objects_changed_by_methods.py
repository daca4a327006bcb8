"""Objects whose methods change what they hold: by computed names, in dicts of tensors, through other methods."""
from __future__ import annotations

import copy
from collections.abc import Iterator
from unittest import mock

import numpy as np
import torch
from torch import Tensor


class Graph:
    """A record whose items are its attributes."""

    def __init__(self, x: Tensor, edge_index: Tensor) -> None:
        self.x = x
        self.edge_index = edge_index

    def __setitem__(self, key: str, value: Tensor) -> None:
        setattr(self, key, value)

    def __delitem__(self, key: str) -> None:
        delattr(self, key)

    def items(self) -> Iterator[tuple[str, Tensor]]:
        yield from list(vars(self).items())


def first_nodes(graph: Graph, n: int) -> Graph:
    out = copy.copy(graph)
    for key, value in out.items():
        if key != "edge_index":
            out[key] = value[:n]
    out["edge_index"] = graph.edge_index[:, (graph.edge_index < n).all(0)]
    return out


class Scene:
    """Points of several components, with more tensors that are as long."""

    def __init__(self) -> None:
        self.points = torch.zeros(0, 3)
        self.extra: dict[str, Tensor] = {}
        self.names: list[str] = []

    def put(self, name: str, points: Tensor) -> None:
        self.names.append(name)
        self._grow(points)
        if self.points.shape[0] != sum(1 for _ in self.points):
            raise ValueError(name)

    def _grow(self, points: Tensor) -> None:
        self.points = torch.cat([self.points, points])
        for key, value in self.extra.items():
            self.extra[key] = torch.cat([value, value.new_zeros(len(points), value.shape[1])])

    @classmethod
    def of(cls, points: Tensor, extra: dict[str, Tensor]) -> Scene:
        scene = cls()
        scene.put("all", points)
        scene.extra = dict(extra)
        return scene


def chosen_and_others(x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    return x[mask], x[~mask]


def factor() -> int:
    return 1


def repeated(x: Tensor) -> Tensor:
    return x.repeat(2, 1) if factor() == 2 else x


class Track:
    """What an object begins with, before others say."""

    score = 0


class Followed(Track):
    def __init__(self, centre, score):
        self.centre = np.asarray(centre, dtype=np.float32)
        self.score = score

    def update(self, other):
        self.score = other.score

    @property
    def state(self):
        return np.concatenate([self.centre.copy(), self.score])


def check() -> None:
    track = Followed([1.0, 2.0], [0.5])
    assert track.state.shape == (3,)

    graph = Graph(torch.randn(6, 4), torch.randint(6, (2, 10)))
    part = first_nodes(graph, 3)
    assert part.x.shape == (3, 4)
    graph["x"] = torch.randn(6, 2)
    assert graph.x.shape == (6, 2)

    scene = Scene.of(torch.zeros(4, 3), {"color": torch.zeros(4, 3), "label": torch.zeros(4, 1)})
    scene.put("more", torch.zeros(2, 3))
    assert scene.points.shape == (6, 3)
    for value in scene.extra.values():
        assert value.shape[0] == 6

    x = torch.arange(10.0)
    mask = x > 6.5
    chosen, others = chosen_and_others(x, mask)
    assert chosen.shape == (3,)
    assert others.shape == (7,)

    with mock.patch(f"{__name__}.factor", return_value=2):
        assert repeated(torch.zeros(2, 3)).shape == (4, 3)


# run: check()
