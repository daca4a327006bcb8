"""Objects that hold tensors, functions in functions: one letter may stand for several sizes."""

import torch
from dataclasses import dataclass, field
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from typing import Callable


class KNN:
    def __init__(self, bank: Float[Tensor, "n d"], labels: Int[Tensor, "n"]) -> None:
        self.bank, self.labels = bank, labels

    def distance(self, a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
        return torch.cdist(a, b)

    def predict(self, q: Float[Tensor, "m d"], k: int) -> Int[Tensor, "m"]:
        idx = self.distance(q, self.bank).topk(k, largest=False).indices
        return self.labels[idx].mode(-1).values

    def weights(self, q: Float[Tensor, "n d"], mask: Bool[Tensor, "n m"]) -> Float[Tensor, "n m"]:
        return torch.cdist(q, self.bank).masked_fill(~mask, 0.0)

    def add(self, x: Float[Tensor, "k d"], y: Int[Tensor, "k"]) -> "KNN":
        return KNN(torch.cat([self.bank, x]), torch.cat([self.labels, y]))


class Basis:
    def __init__(self, u: Float[Tensor, "d k"]) -> None:
        self.u = u

    def project(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n k"]:
        return x @ self.u

    def lift(self, z: Float[Tensor, "n k"]) -> Float[Tensor, "n d"]:
        return z @ self.u.T

    def rotate(self, r: Float[Tensor, "k k"]) -> "Basis":
        return Basis(self.u @ r)

    def compose(self, other: "Basis") -> "Basis":
        return Basis(self.u @ other.u)

    def change(self, m: Float[Tensor, "e d"]) -> "Basis":
        return Basis(m @ self.u)

    def overlap(self, v: Float[Tensor, "d j"]) -> Float[Tensor, "k j"]:
        return self.u.T @ v

    def of_rows(self, rows: Float[Tensor, "k d"]) -> Float[Tensor, "k k"]:
        return rows @ self.u


class Attend:
    def __init__(self, keys: Float[Tensor, "n d"], values: Float[Tensor, "n v"]) -> None:
        self.keys = keys
        self.values = values

    def __call__(self, q: Float[Tensor, "q d"]) -> Float[Tensor, "q v"]:
        return (q @ self.keys.T).softmax(-1) @ self.values

    def self_attend(self) -> Float[Tensor, "n v"]:
        return self(self.keys)

    def grow(self, k: Float[Tensor, "m d"], v: Float[Tensor, "m v"]) -> None:
        self.keys = torch.cat([self.keys, k])
        self.values = torch.cat([self.values, v])


def train(x: Float[Tensor, "n d"], y: Float[Tensor, "n"]) -> Float[Tensor, "d"]:
    mean = x.mean(0)

    def batchify(v: Float[Tensor, "n d"], size: int) -> list[Float[Tensor, "b d"]]:
        return list((v - mean).split(size))

    def pairwise(n: Float[Tensor, "k d"]) -> Float[Tensor, "k k"]:
        return (n - mean) @ (n - mean).T

    def drop(d: Float[Tensor, "d n"]) -> Float[Tensor, "n d"]:
        return d.T

    parts = batchify(x[:4], 2)
    g = pairwise(x[2:])
    h = drop(g)
    return mean + parts[0].mean(0) + h.mean() + y.mean()


def make(w: Float[Tensor, "o i"]) -> Callable[[Float[Tensor, "b i"]], Float[Tensor, "b o"]]:
    def f(x: Float[Tensor, "b i"]) -> Float[Tensor, "b o"]:
        return x @ w.T

    return f


def stack(a: Float[Tensor, "b i"], w1: Float[Tensor, "h i"], w2: Float[Tensor, "o h"]) -> Float[Tensor, "b o"]:
    first, second = make(w1), make(w2)
    return second(first(a))


def chain(a: Float[Tensor, "b i"], ws: list[Float[Tensor, "i i"]]) -> Float[Tensor, "b i"]:
    fs = [make(w) for w in ws]
    for f in fs:
        a = f(a)
    return a


def where(c: Bool[Tensor, "*#s"], x: Float[Tensor, "*#s"], y: Float[Tensor, "*#s"]) -> Float[Tensor, "*s"]:
    return torch.where(c, x, y)


def use_where(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b t d"]:
    m = torch.ones(x.shape[1], 1, dtype=torch.bool)
    y = where(m, x, torch.zeros(()))
    z = where(x > 0, x.new_zeros(1), y)
    w = where(torch.tensor(True), y, z)
    v = where(x[..., :n] > 0, x[..., :n], x[..., :1])
    return w + v.sum(-1, keepdim=True)


def collate(items: list[tuple[Float[Tensor, "t d"], Int[Tensor, ""], str]]) -> tuple[Float[Tensor, "b t d"], Int[Tensor, "b"], list[str]]:
    xs, ys, names = zip(*items)
    return torch.stack(xs), torch.stack(list(ys)), list(names)


def columns(rows: list[list[Float[Tensor, "d"]]]) -> list[Float[Tensor, "n d"]]:
    return [torch.stack(list(c)) for c in zip(*rows)]


class Ensemble(nn.Module):
    def __init__(self, *members: nn.Module, scales: Float[Tensor, "m"]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)
        self.register_buffer("scales", scales)

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b k"]:
        outs = torch.stack([m(x) for m in self.members], dim=-1)
        return (outs * self.scales).sum(-1)


class Mean:
    def __init__(self, *xs: Float[Tensor, "_ d"]) -> None:
        self.all = torch.cat(xs)

    def centre(self, y: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
        return y - self.all.mean(0)


@dataclass
class Track:
    xs: Float[Tensor, "t 2"]
    vs: Float[Tensor, "t 2"] = field(default_factory=lambda: torch.zeros(0, 2))

    def extend(self, x: Float[Tensor, "k 2"]) -> "Track":
        return Track(torch.cat([self.xs, x]), torch.cat([self.vs, x - self.xs[-1]]))

    def resample(self, t: Float[Tensor, "n"]) -> Float[Tensor, "n 2"]:
        i = (t * (len(self.xs) - 1)).long()
        return self.xs[i] + self.vs[i]

    def distances(self, other: "Track") -> Float[Tensor, "t s"]:
        return torch.cdist(self.xs, other.xs)

    def pairwise(self) -> Float[Tensor, "t t"]:
        return self.distances(self)

    def smooth(self, kernel: Float[Tensor, "t t"]) -> Float[Tensor, "t 2"]:
        return kernel @ self.xs


def build(x: Float[Tensor, "a b"], y: Float[Tensor, "c b"]) -> Float[Tensor, "c b"]:
    b = Basis(torch.linalg.svd(x, full_matrices=False).Vh.T)
    z = b.lift(b.project(y))
    att = Attend(x, x)
    att.grow(y, y)
    return z + att(y) + Mean(x, y).centre(y)


# run: k=KNN(torch.randn(6,3),torch.zeros(6).long()); k.predict(torch.randn(4,3),2); k.weights(torch.randn(4,3),torch.ones(4,6).bool()); k.add(torch.randn(2,3),torch.zeros(2).long())
# run: b=Basis(torch.randn(5,2)); b.lift(b.project(torch.randn(3,5))); b.rotate(torch.eye(2)); b.compose(Basis(torch.randn(2,2))); b.change(torch.randn(7,5)); b.overlap(torch.randn(5,4)); b.of_rows(torch.randn(2,5))
# run: train(torch.randn(6,3),torch.randn(6)); stack(torch.randn(2,3),torch.randn(4,3),torch.randn(5,4)); chain(torch.randn(2,3),[torch.eye(3)]*2)
# run: use_where(torch.randn(2,3,4),2); collate([(torch.randn(3,4),torch.tensor(1),"a")]*2); columns([[torch.randn(3)]*2]*4)
# run: Ensemble(nn.Linear(3,2),nn.Linear(3,2),scales=torch.ones(2))(torch.randn(4,3))
# run: t=Track(torch.randn(5,2),torch.randn(5,2)); t.extend(torch.randn(2,2)); t.resample(torch.rand(3)); t.pairwise(); t.smooth(torch.eye(5)); t.distances(Track(torch.randn(4,2)))
# run: build(torch.randn(4,3),torch.randn(5,3))
