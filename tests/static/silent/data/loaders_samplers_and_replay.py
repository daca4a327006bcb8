from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.utils.data import BatchSampler, ConcatDataset, DataLoader, Dataset, IterableDataset, RandomSampler, Subset, TensorDataset, default_collate, random_split


class Windows(Dataset[tuple[Tensor, Tensor]]):
    def __init__(self, series: Float[Tensor, "time ch"], length: int, horizon: int) -> None:
        self.series, self.length, self.horizon = series, length, horizon

    def __len__(self) -> int:
        return self.series.shape[0] - self.length - self.horizon + 1

    def __getitem__(self, i: int) -> tuple[Float[Tensor, "length ch"], Float[Tensor, "horizon ch"]]:
        mid = i + self.length
        return self.series[i:mid], self.series[mid : mid + self.horizon]


class Stream(IterableDataset[dict[str, Tensor]]):
    def __init__(self, n: int) -> None:
        self.n = n

    def __iter__(self) -> Iterator[dict[str, Tensor]]:
        for i in range(self.n):
            yield {"x": torch.full((3, 4), float(i)), "y": torch.tensor(i % 2), "w": torch.tensor(0.5)}


@dataclass
class Batch:
    x: Float[Tensor, "b t d"]
    mask: Bool[Tensor, "b t"]
    y: Int[Tensor, "b"]


def collate(items: list[tuple[Float[Tensor, "_ d"], int]]) -> Batch:
    longest = max(len(x) for x, _ in items)
    out = torch.zeros(len(items), longest, items[0][0].shape[1])
    mask = torch.zeros(len(items), longest, dtype=torch.bool)
    for i, (x, _) in enumerate(items):
        out[i, : len(x)] = x
        mask[i, : len(x)] = True
    return Batch(out, mask, torch.tensor([y for _, y in items]))


def epochs(x: Float[Tensor, "n d"], y: Int[Tensor, "n"]) -> Float[Tensor, ""]:
    data = TensorDataset(x, y)
    first = data[0][0]
    train, val = random_split(data, [len(data) - 3, 3])
    both = ConcatDataset([train, val])
    half = Subset(data, list(range(0, len(data), 2)))
    sampler = BatchSampler(RandomSampler(data), batch_size=4, drop_last=True)
    total = torch.zeros(())
    for xb, yb in DataLoader(data, batch_sampler=sampler):
        hot = torch.nn.functional.one_hot(yb, 3)
        means = hot.T.float() @ xb / hot.sum(0).clamp(min=1)[:, None]
        total = total + means.sum()
    for xb, yb in DataLoader(half, batch_size=2):
        total += (xb.mean(1) * yb).sum()
    for batch in DataLoader(Stream(5), batch_size=2):
        s = batch["x"].mean((1, 2)) * batch["w"] + batch["y"]
        total += s.sum()
    got = default_collate([data[i] for i in range(4)])
    xs, ys = got
    return total + xs.sum() / ys.numel()


def windows(series: Float[Tensor, "time ch"]) -> Float[Tensor, "b 2 ch"]:
    loader = DataLoader(Windows(series, 6, 2), batch_size=3, shuffle=True)
    past, future = next(iter(loader))
    drift = past[:, -1:] - past.mean(1, keepdim=True)
    return future + drift


class Replay:
    def __init__(self, size: int) -> None:
        self.memory: deque[tuple[Tensor, int, float]] = deque(maxlen=size)

    def push(self, s: Float[Tensor, "obs"], a: int, r: float) -> None:
        self.memory.append((s, a, r))

    def sample(self, n: int) -> tuple[Float[Tensor, "n obs"], Int[Tensor, "n"], Float[Tensor, "n"]]:
        s, a, r = zip(*random.sample(list(self.memory), n))
        return torch.stack(s), torch.tensor(a), torch.tensor(r)


class SumTree:
    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.tree = np.zeros(2 * capacity - 1)

    def update(self, leaf: int, p: float) -> None:
        i = leaf + self.capacity - 1
        change = p - self.tree[i]
        while i >= 0:
            self.tree[i] += change
            i = (i - 1) // 2

    def weights(self, idx: Int[np.ndarray, "n"], beta: float) -> Float[Tensor, "n"]:
        prob = self.tree[idx + self.capacity - 1] / self.tree[0]
        w = (self.capacity * prob) ** -beta
        return torch.from_numpy(w / w.max()).float()


def gae(r: Float[Tensor, "t n"], v: Float[Tensor, "t+1 n"], done: Bool[Tensor, "t n"]) -> Float[Tensor, "t n"]:
    adv: list[Tensor] = []
    last = torch.zeros_like(v[0])
    for rt, vt, vn, dt in zip(r.flip(0), v[:-1].flip(0), v[1:].flip(0), done.flip(0)):
        keep = (~dt).float()
        last = rt + 0.99 * vn * keep - vt + 0.95 * 0.99 * keep * last
        adv.insert(0, last)
    return torch.stack(adv)


def returns(r: Float[Tensor, "t"], gamma: float) -> Float[Tensor, "t"]:
    t = torch.arange(len(r))
    powers = gamma ** (t[None] - t[:, None]).clamp(min=0).float()
    return (torch.triu(powers) * r).sum(1)


# run: collate([(randn(3, 4), 1), (randn(5, 4), 0)])
# run: epochs(randn(12, 5), torch.arange(12) % 3), windows(randn(20, 3))
# run: rp = Replay(5)
# run: [rp.push(randn(4), 1, 0.5) for _ in range(6)]
# run: rp.sample(3)
# run: st = SumTree(4)
# run: [st.update(i, 1.0 + i) for i in range(4)]
# run: st.weights(np.array([0, 2]), 0.5)
# run: gae(randn(4, 2), randn(5, 2), torch.zeros(4, 2, dtype=torch.bool)), returns(randn(5), 0.9)
