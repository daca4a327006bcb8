"""Lists that an object starts empty and its methods fill, read in other methods in every way."""
import random
from collections import deque
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Metric:
    def __init__(self) -> None:
        self.probs: list[Tensor] = []
        self.targets = []
        self.losses = []
        self.names = []

    def update(self, logits: Float[Tensor, "b k"], target: Int[Tensor, "b"]) -> None:
        self.probs.append(logits.softmax(-1))
        self.targets.append(target)
        self.losses.append(nn.functional.cross_entropy(logits, target))
        self.names.append("batch")

    def reset(self) -> None:
        self.probs.clear()
        self.targets = []
        self.losses = list()

    def accuracy(self) -> Float[Tensor, ""]:
        if not self.probs or len(self.targets) == 0:
            return torch.zeros(())
        return (torch.cat(self.probs).argmax(-1) == torch.cat(self.targets)).float().mean()

    def per_batch(self) -> list[Float[Tensor, ""]]:
        return [(p.argmax(-1) == t).float().mean() for p, t in zip(self.probs, self.targets)]

    def sums(self) -> tuple[Float[Tensor, ""], Float[Tensor, ""], Float[Tensor, "n"], float]:
        worst = max(self.losses)
        total = sum(self.losses) / len(self.losses)
        return total, worst, torch.stack(self.losses), float(np.mean([loss.item() for loss in self.losses]))

    def tensor(self) -> Float[Tensor, "n"]:
        return torch.tensor(self.losses)

    def newest(self) -> Float[Tensor, "b k"]:
        return self.probs[-1] if self.probs else torch.zeros(1, 1)


class Different:
    def __init__(self) -> None:
        self.probs = []

    def update(self, frame: Float[Tensor, "3 h w"]) -> None:
        self.probs.append(frame)

    def clip(self) -> Float[Tensor, "n 3 h w"]:
        return torch.stack(self.probs)


class SometimesPooled:
    def __init__(self, pool: bool) -> None:
        self.pool = pool
        self.kept = []

    def update(self, x: Float[Tensor, "b n d"]) -> None:
        self.kept.append(x.mean(1) if self.pool else x)

    def result(self) -> Tensor:
        joined = torch.cat(self.kept)
        return joined if self.pool else joined.flatten(0, 1)


class FilledByHook(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.acts = []
        self.layer = nn.Linear(dim, dim)
        self.layer.register_forward_hook(lambda module, given, out: self.acts.append(out.mean(-1)))

    def forward(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b n"]:
        self.acts.clear()
        self.layer(x)
        return self.acts[0]

    def also(self, x: Float[Tensor, "b n dim"]) -> None:
        self.acts.append(x.mean(-1))


class FilledFromOutside:
    def __init__(self) -> None:
        self.rows = []

    def add(self, row: Float[Tensor, "d"]) -> None:
        self.rows.append(row)

    def all(self) -> Float[Tensor, "n d"]:
        return torch.cat(self.rows)


def fill(into: FilledFromOutside, rows: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    into.rows.append(rows)
    return into.all()


class GivenAway:
    def __init__(self) -> None:
        self.rows = []

    def add(self, rows: Float[Tensor, "n d"]) -> None:
        append_to(self.rows, rows)

    def add_one(self, row: Float[Tensor, "d"]) -> None:
        self.rows.append(row)

    def first(self) -> Float[Tensor, "n d"]:
        return self.rows[0]


def append_to(rows: list, new: Tensor) -> None:
    rows.insert(0, new)


class Base:
    def __init__(self) -> None:
        self.seen = []

    def add(self, x: Float[Tensor, "b d"]) -> None:
        self.seen.append(x)

    def joined(self) -> Tensor:
        return torch.cat(self.seen)


class OfImages(Base):
    def add(self, x: Float[Tensor, "b c h w"]) -> None:
        self.seen.append(x)

    def mean(self) -> Float[Tensor, "b c"]:
        return torch.cat(self.seen).mean((2, 3))


@dataclass
class Replay:
    size: int
    steps: deque = field(default_factory=deque)
    history: list = field(default_factory=list)

    def push(self, obs: Float[Tensor, "d"], action: Int[Tensor, ""], reward: float) -> None:
        self.steps.append((obs, action, reward))
        self.history.append(obs)
        if len(self.steps) > self.size:
            self.steps.popleft()

    def sample(self, n: int) -> tuple[Float[Tensor, "n d"], Int[Tensor, "n"], Float[Tensor, "n"]]:
        obs, action, reward = zip(*random.sample(list(self.steps), n))
        return torch.stack(obs), torch.stack(action), torch.tensor(reward)

    def path(self) -> Float[Tensor, "t d"]:
        return torch.stack(self.history)


class Window:
    def __init__(self, size: int) -> None:
        self.frames = deque(maxlen=size)

    def push(self, frame: Float[Tensor, "h w"]) -> Float[Tensor, "t h w"]:
        while len(self.frames) < 3:
            self.frames.append(frame)
        self.frames.append(frame)
        return torch.stack(tuple(self.frames))


class Squeezed:
    def __init__(self) -> None:
        self.parts = []

    def add(self, x: Float[Tensor, "b n d"]) -> None:
        for row in x:
            self.parts.append(row)

    def finish(self) -> Float[Tensor, "m d"]:
        self.parts = [torch.cat(self.parts)]
        return self.parts[0]


# run: m = Metric(); m.update(torch.randn(5, 3), torch.randint(3, (5,))); m.update(torch.randn(2, 3), torch.randint(3, (2,)))
# run: m.accuracy(); m.per_batch(); m.sums(); m.tensor(); m.newest(); m.reset()
# run: d = Different(); d.update(torch.randn(3, 5, 7)); d.clip()
# run: s = SometimesPooled(True); s.update(torch.randn(2, 3, 5)); s.result()
# run: s = SometimesPooled(False); s.update(torch.randn(2, 3, 5)); s.result()
# run: FilledByHook(3)(torch.randn(2, 5, 3))
# run: fill(FilledFromOutside(), torch.randn(5, 3))
# run: g = GivenAway(); g.add(torch.randn(3, 5)); g.first()
# run: o = OfImages(); o.add(torch.randn(2, 3, 5, 7)); o.mean()
# run: r = Replay(5); [r.push(torch.randn(3), torch.tensor(1), 0.5) for _ in range(7)]; r.sample(2); r.path()
# run: w = Window(4); w.push(torch.randn(5, 7))
# run: q = Squeezed(); q.add(torch.randn(2, 3, 5)); q.finish()
