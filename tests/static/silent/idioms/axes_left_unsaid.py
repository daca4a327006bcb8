"""Axes of which an annotation says nothing, and relations between sizes that it cannot say."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor

KeysAndValues = tuple[Float[Tensor, "_ _ hd"], Float[Tensor, "_ _ hd"]]


def appended(past: Float[Tensor, "_ d"], x: Float[Tensor, "n _"]) -> Float[Tensor, "_ d"]:
    return torch.cat([past, x])


def stepped(k: Float[Tensor, "b s hd"], past: KeysAndValues) -> Float[Tensor, "b t hd"]:
    for p in past:
        k = torch.cat([p, k], dim=1)
    return k


def added(x: Float[Tensor, "b s"], y: Float[Tensor, "_ s"]) -> Float[Tensor, "b s"]:
    return y + x


def keypoints(out: Float[Tensor, "b k3"], k: int) -> Float[Tensor, "b {k} 3"]:
    return out.view(-1, k, 3)


def poses(x: Float[Tensor, "b t k3"], k: int) -> Float[Tensor, "b t {k} 3"]:
    return x.view(x.shape[0], -1, k, 3)


def error(pred: Float[Tensor, "b k3"], gt: Float[Tensor, "b k 3"]) -> Float[Tensor, ""]:
    return (pred.view(-1, gt.shape[1], 3) - gt).abs().mean()


def head_scores(x: Float[Tensor, "n hd"], w: Float[Tensor, "h d"]) -> Float[Tensor, "n h"]:
    return (x.reshape(-1, *w.shape) * w).sum(-1)


def flattened(x: Float[Tensor, "b h w"], weight: Float[Tensor, "k o"]) -> Float[Tensor, "b o"]:
    return x.reshape(-1, weight.shape[0]) @ weight


def first_half(x: Float[Tensor, "b d"], k: int) -> Float[Tensor, "b {k}"]:
    return x[:, : x.shape[1] // 2].reshape(-1, k)


def decoded(rel: Float[Tensor, "n k4"], anchors: Float[Tensor, "n 4"], k: int) -> Float[Tensor, "n {k} 4"]:
    dx, dy, dw, dh = rel[:, 0::4], rel[:, 1::4], rel[:, 2::4], rel[:, 3::4]
    return (torch.stack((dx, dy, dw, dh), dim=2) + anchors[:, None]).view(-1, k, 4)


def counted(batches: Iterable[Float[Tensor, "batch d"]]) -> int:
    return sum(x.shape[0] for x in batches)


def similarity(x: Tensor, y: Tensor) -> Float[Tensor, "n m"]:
    return x @ y.T


def contrasted(x: Tensor, y: Tensor) -> Float[Tensor, ""]:
    s = similarity(x, y)
    return torch.nn.functional.cross_entropy(s.T, torch.arange(s.shape[0]))


train: Float[Tensor, "n d"] = torch.randn(10, 4)
test: Float[Tensor, "n d"] = torch.randn(3, 4)
for size in (3, 5):
    some: Float[Tensor, "b d"] = torch.randn(2, size)
    weight: Float[Tensor, "d e"] = torch.randn(size, 4)
    product = some @ weight


def check() -> None:
    past, x = torch.randn(2, 5, 4), torch.randn(2, 1, 4)
    assert appended(past[0], x[0]).shape == (6, 4)
    assert stepped(x, (past, past)).shape == (2, 11, 4)
    assert added(torch.ones(2, 3), torch.ones(2, 3)).shape == (2, 3)
    assert keypoints(torch.ones(5, 6), 2).shape == (5, 2, 3)
    assert poses(torch.ones(5, 4, 6), 2).shape == (5, 4, 2, 3)
    assert error(torch.ones(5, 6), torch.ones(5, 2, 3)) == 0
    assert head_scores(torch.ones(5, 6), torch.ones(2, 3)).shape == (5, 2)
    assert flattened(torch.ones(5, 2, 3), torch.ones(6, 4)).shape == (5, 4)
    assert first_half(torch.ones(5, 6), 3).shape == (5, 3)
    assert decoded(torch.ones(5, 8), torch.ones(5, 4), 2).shape == (5, 2, 4)
    batches = [torch.randn(b, 8) for b in (4, 2, 1)]
    assert counted(iter(batches)) == counted(iter([torch.randn(4, 8), torch.randn(2, 8)])) + 1
    assert counted(batch for batch in batches) == 7
    assert contrasted(torch.randn(4, 5), torch.randn(4, 5)).shape == ()


# run: check()
