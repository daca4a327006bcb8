"""Objects of a list or a dict have axes of their own, which need not be those of the next."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Batch(NamedTuple):
    x: Float[Tensor, "batch seq"]
    y: Float[Tensor, "batch seq"]


@dataclass
class Cloud:
    points: Float[Tensor, "n 3"]
    weights: Float[Tensor, "n"]


@dataclass
class Running:
    total: Float[Tensor, "n"]
    count: int = 0


def joined(batches: list[Batch]) -> Float[Tensor, "all seq"]:
    rows = torch.cat([b.x for b in batches])
    assert len(rows) == sum(len(b.x) for b in batches)
    return rows * torch.cat([b.y for b in batches])


def between_neighbours(clouds: list[Cloud]) -> list[Tensor]:
    found = []
    for a, b in zip(clouds, clouds[1:]):
        distances = torch.cdist(a.points, b.points)
        found.append((distances * a.weights[:, None] * b.weights).sum())
        found.append(a.weights[:, None] - b.weights)
    return found


def all_pairs(clouds: list[Cloud]) -> Float[Tensor, "k k"]:
    rows = []
    for a in clouds:
        rows.append(torch.stack([torch.cdist(a.points, b.points).min() for b in clouds]))
    return torch.stack(rows)


def since_the_last(clouds: Iterable[Cloud]) -> list[Tensor]:
    moved, last = [], None
    for cloud in clouds:
        if last is not None:
            moved.append(cloud.points.mean(0) - last.points.mean(0))
            moved.append(last.points @ cloud.points.T)
        last = cloud
    return moved


def of_the_first(clouds: list[Cloud], other: Float[Tensor, "m 3"]) -> Float[Tensor, "m"]:
    first = clouds[0]
    if first.points.shape == other.shape:
        return (first.points * other).sum(1)
    near = torch.cdist(other, first.points).argmin(1)
    return first.weights[near]


def added_up(states: list[Running], x: Float[Tensor, "n"]) -> list[Running]:
    for state in states:
        state.total = state.total + x
        state.count += 1
    states[0].total = x.sum()[None]
    return [replace(state, total=state.total * 2) for state in states]


def smaller(batches: Iterable[Batch], size: int) -> Iterator[Batch]:
    for b in batches:
        for at in range(0, len(b.x), size):
            yield Batch(b.x[at : at + size], b.y[at : at + size])


def fitted(model: nn.Linear, batches: dict[str, Batch], x: Float[Tensor, "batch seq"]) -> float:
    lost = 0.0
    for _, b in sorted(batches.items()):
        lost += float((b.x - b.y).square().mean())
    train, test = batches["train"], batches["test"]
    both = torch.cat([train.x, test.y]) if train.x.shape[1] == test.y.shape[1] else train.x
    return lost + float(both.mean()) + float((x @ x.T).mean())


def taken_in_turn(batches: list[Batch], a: Float[Tensor, "n seq"], b: Float[Tensor, "m seq"]) -> list[Tensor]:
    out, first = [], True
    for batch in batches:
        if first:
            out.append(batch.x + a)
            first = False
        else:
            out.append(batch.x + b)
    queue = list(batches)
    while queue:
        now = queue.pop()
        out.append(now.x * now.y)
    return out


@dataclass
class Core:
    g: Float[Tensor, "l p r"]


class Train:
    """A tensor train: the ranks at both ends are 1."""

    def __init__(self, cores: list[Core]) -> None:
        self.cores = cores

    def dot(self, other: Train) -> Float[Tensor, ""]:
        v = torch.ones(1, 1)
        for a, b in zip(self.cores, other.cores):
            v = torch.einsum("xy,xpl,ypr->lr", v, a.g, b.g)
        return v.squeeze()

    def total(self) -> Float[Tensor, "1 1"]:
        v = torch.ones(1, 1)
        for core in self.cores:
            v = v @ core.g.sum(1)
        return v


@dataclass
class State:
    mean: Float[Tensor, "d"]
    cov: Float[Tensor, "d d"]


@dataclass
class Motion:
    move: Float[Tensor, "n n"]

    def predict(self, s: State) -> State:
        return State(self.move @ s.mean, self.move @ s.cov @ self.move.T)


def predicted(models: list[Motion], states: list[State]) -> list[State]:
    return [model.predict(state) for model, state in zip(models, states)] + [models[0].predict(states[-1])]


# run: joined([Batch(randn(2, 3), randn(2, 3)), Batch(randn(4, 3), randn(4, 3))])
# run: between_neighbours([Cloud(randn(n, 3), randn(n)) for n in (4, 5, 6)]), all_pairs([Cloud(randn(n, 3), randn(n)) for n in (4, 5)])
# run: since_the_last([Cloud(randn(n, 3), randn(n)) for n in (4, 5, 6)]), of_the_first([Cloud(randn(5, 3), randn(5))], randn(4, 3))
# run: added_up([Running(randn(3)), Running(randn(3))], randn(3)), list(smaller([Batch(randn(5, 3), randn(5, 3))], 2))
# run: fitted(nn.Linear(3, 3), {"train": Batch(randn(2, 3), randn(2, 3)), "test": Batch(randn(4, 3), randn(4, 3))}, randn(2, 3))
# run: taken_in_turn([Batch(randn(2, 3), randn(2, 3)), Batch(randn(4, 3), randn(4, 3))], randn(2, 3), randn(4, 3))
# run: Train([Core(randn(1, 3, 2)), Core(randn(2, 4, 1))]).dot(Train([Core(randn(1, 3, 5)), Core(randn(5, 4, 1))]))
# run: Train([Core(randn(1, 3, 2)), Core(randn(2, 4, 1))]).total(), predicted([Motion(randn(2, 2))], [State(randn(2), randn(2, 2))])
