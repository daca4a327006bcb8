"""Running moments, reservoirs and metrics kept in plain Python objects."""

import numpy as np
import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor


class RunningMoments:
    def __init__(self):
        self.count = 0
        self.mean = 0.0
        self.m2 = 0.0

    def update(self, x: Float[Tensor, "n d"]) -> None:
        for row in x:
            self.count += 1
            delta = row - self.mean
            self.mean = self.mean + delta / self.count
            self.m2 = self.m2 + delta * (row - self.mean)

    @property
    def var(self):
        return self.m2 / max(self.count - 1, 1)

    def normalise(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
        return (x - self.mean) / (self.var + 1e-8) ** 0.5


class Reservoir:
    def __init__(self, capacity: int, seed: int = 0):
        self.capacity = capacity
        self.rng = np.random.default_rng(seed)
        self.items: list[Shaped[Tensor, "..."]] = []
        self.seen = 0

    def add(self, x: Shaped[Tensor, "..."]) -> None:
        self.seen += 1
        if len(self.items) < self.capacity:
            self.items.append(x)
        elif (j := int(self.rng.integers(self.seen))) < self.capacity:
            self.items[j] = x

    def stacked(self) -> Shaped[Tensor, "n ..."]:
        return torch.stack(self.items)


class MetricLogger(dict):
    def __missing__(self, key):
        value = self[key] = []
        return value

    def log(self, **metrics) -> None:
        for name, value in metrics.items():
            self[name].append(value.detach().item() if isinstance(value, Tensor) else value)

    def summary(self) -> dict[str, float]:
        return {k: float(np.mean(v)) for k, v in self.items()}


def confusion(pred: Int[Tensor, "n"], truth: Int[Tensor, "n"], classes: int) -> Int[Tensor, "{classes} {classes}"]:
    index = truth * classes + pred
    return torch.bincount(index, minlength=classes**2).reshape(classes, classes)


def macro_f1(table: Int[Tensor, "c c"]) -> float:
    tp = table.diag().float()
    precision = tp / table.sum(0).clamp(min=1)
    recall = tp / table.sum(1).clamp(min=1)
    f1 = 2 * precision * recall / (precision + recall).clamp(min=1e-9)
    return f1.mean().item()


def histogram(x: Float[np.ndarray, "n"], bins: int) -> tuple[Int[np.ndarray, "{bins}"], Float[np.ndarray, "{bins}+1"]]:
    counts, edges = np.histogram(x, bins=bins)
    return counts, edges


def quantiles(x: Float[Tensor, "n d"], qs: list[float]) -> Float[Tensor, "k d"]:
    return torch.quantile(x, torch.tensor(qs), dim=0)


# run: m = RunningMoments(); m.update(randn(11, 3)); m.normalise(randn(5, 3))
# run: r = Reservoir(3); [r.add(randn(2, 5)) for _ in range(7)]; r.stacked()
# run: log = MetricLogger(); log.log(loss=randn(()), acc=0.5); log.summary()
# run: macro_f1(confusion(randint(0, 3, (20,)), randint(0, 3, (20,)), 3)); histogram(np.random.randn(50), 7); quantiles(randn(11, 3), [0.1, 0.5])
