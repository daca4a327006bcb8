from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache, reduce, singledispatch
from typing import Iterable, Union

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


@dataclass
class Leaf:
    token: int


@dataclass
class Branch:
    left: Tree
    right: Tree


Tree = Union[Leaf, Branch]


class TreeLSTM(nn.Module):
    def __init__(self, vocab: int, d: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.gates = nn.Linear(2 * d, 5 * d)

    def compose(
        self, left: tuple[Float[Tensor, "d"], Float[Tensor, "d"]], right: tuple[Float[Tensor, "d"], Float[Tensor, "d"]]
    ) -> tuple[Float[Tensor, "d"], Float[Tensor, "d"]]:
        (hl, cl), (hr, cr) = left, right
        i, fl, fr, o, u = self.gates(torch.cat([hl, hr])).chunk(5)
        c = i.sigmoid() * u.tanh() + fl.sigmoid() * cl + fr.sigmoid() * cr
        return o.sigmoid() * c.tanh(), c

    def encode(self, tree: Tree) -> tuple[Float[Tensor, "d"], Float[Tensor, "d"]]:
        match tree:
            case Leaf(token):
                h = self.embed(torch.tensor(token))
                return h, torch.zeros_like(h)
            case Branch(left, right):
                return self.compose(self.encode(left), self.encode(right))
        raise TypeError(tree)

    def forward(self, trees: list[Tree]) -> Float[Tensor, "n d"]:
        return torch.stack([self.encode(t)[0] for t in trees])


@lru_cache(maxsize=None)
def dct_basis(n: int) -> Float[Tensor, "{n} {n}"]:
    k = torch.arange(n).float()
    return torch.cos(torch.pi / n * (k[None, :] + 0.5) * k[:, None])


@singledispatch
def size_of(x: object) -> int:
    return 1


@size_of.register
def _(x: Tensor) -> int:
    return x.numel()


@size_of.register(list)
def _(x: list) -> int:
    return sum(map(size_of, x))


def tree_sum(xs: Iterable[Float[Tensor, "n d"]]) -> Float[Tensor, "n d"]:
    return reduce(torch.add, xs)


def butterfly(x: Float[Tensor, "*batch n"]) -> Float[Tensor, "*batch n"]:
    n = x.shape[-1]
    if n == 1:
        return x
    even, odd = butterfly(x[..., ::2]), butterfly(x[..., 1::2])
    return torch.cat([even + odd, even - odd], dim=-1)


def viterbi(emissions: Float[Tensor, "t tags"], transitions: Float[Tensor, "tags tags"]) -> Int[Tensor, "t"]:
    score = emissions[0]
    back: list[Tensor] = []
    for emission in emissions[1:]:
        total = score[:, None] + transitions + emission[None]
        score, index = total.max(dim=0)
        back.append(index)
    best = [score.argmax()]
    for index in reversed(back):
        best.append(index[best[-1]])
    return torch.stack(best[::-1])


def crf_norm(emissions: Float[Tensor, "b t tags"], transitions: Float[Tensor, "tags tags"]) -> Float[Tensor, "b"]:
    alpha = emissions[:, 0]
    for t in range(1, emissions.size(1)):
        alpha = torch.logsumexp(alpha[:, :, None] + transitions, dim=1) + emissions[:, t]
    return alpha.logsumexp(dim=-1)


def pairs(xs: list[Float[Tensor, "d"]]) -> Float[Tensor, "p 2 d"]:
    return torch.stack([torch.stack(p) for p in itertools.combinations(xs, 2)])


def scan(f, init, xs: Float[Tensor, "t d"]) -> tuple[Tensor, Float[Tensor, "t d"]]:
    carry, ys = init, []
    for x in xs:
        carry, y = f(carry, x)
        ys.append(y)
    return carry, torch.stack(ys)


# run: TreeLSTM(7, 3)([Branch(Leaf(1), Branch(Leaf(2), Leaf(3))), Leaf(4)]); dct_basis(5); size_of([randn(3, 5), 2]); tree_sum([randn(2, 3)] * 3)
# run: butterfly(randn(3, 8)); viterbi(randn(5, 3), randn(3, 3)); crf_norm(randn(2, 5, 3), randn(3, 3)); pairs([randn(4) for _ in range(3)]); scan(lambda c, x: (c + x, c * x), randn(3), randn(5, 3))
