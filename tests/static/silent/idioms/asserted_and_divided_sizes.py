"""Equalities and divisibility that only an assertion tells."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor


def interaction(x: Float[Tensor, "n d"], y: Float[Tensor, "m k"]) -> Float[Tensor, "n m"]:
    assert x.shape[1] == y.shape[1], "feature sizes differ"
    return x @ y.T


def add_paired(a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    if a.shape[0] != b.shape[0]:
        raise ValueError(f"{a.shape[0]} rows against {b.shape[0]}")
    return a + b


def square(x: Float[Tensor, "b n d"]) -> Float[Tensor, "b side side d"]:
    side = math.isqrt(x.shape[1])
    assert side * side == x.shape[1]
    return x.view(x.shape[0], side, side, x.shape[2])


def heads(x: Float[Tensor, "b s d"], h: int) -> Float[Tensor, "b {h} s d//{h}"]:
    b, s, d = x.shape
    assert d % h == 0
    return x.view(b, s, h, d // h).transpose(1, 2)


def same_shape(a: Float[Tensor, "*a"], b: Float[Tensor, "*b"]) -> Float[Tensor, "*a"]:
    assert a.shape == b.shape
    return a * b


def unknown_rank(x: Tensor, y: Tensor) -> Float[Tensor, "b k"]:
    assert x.ndim == 2 and y.ndim == 2
    b, d = x.shape
    d2, k = y.shape
    assert d == d2
    return x @ y


def only_pairs(x: Float[Tensor, "b k d"]) -> tuple[Float[Tensor, "b d"], Float[Tensor, "b d"]]:
    assert x.size(1) == 2
    first, second = x.unbind(1)
    return first, second


def pool(x: Float[Tensor, "b t d"], factor: int) -> Float[Tensor, "b _ d"]:
    b, t, d = x.shape
    keep = t - t % factor
    return x[:, :keep].reshape(b, keep // factor, factor, d).mean(2)


def aligned(scores: Float[Tensor, "b q k"], keys: Float[Tensor, "b m d"]) -> Float[Tensor, "b q d"]:
    torch._assert(scores.shape[-1] == keys.shape[1], "lengths differ")
    return scores @ keys


def clamp_length(x: Float[Tensor, "b s d"], table: Float[Tensor, "max d"]) -> Float[Tensor, "b s d"]:
    s = min(x.shape[1], table.shape[0])
    return x[:, :s] + table[:s]


def ranked(x: Float[Tensor, "n"], k: int) -> Int[Tensor, "_"]:
    k = min(k, x.numel())
    return x.topk(k).indices


def triangular(x: Float[Tensor, "n d"]) -> Float[Tensor, "pairs"]:
    n = x.shape[0]
    i, j = torch.triu_indices(n, n, offset=1)
    out = (x[i] * x[j]).sum(-1)
    assert out.shape == (n * (n - 1) // 2,)
    return out


def square_only(w: Float[Tensor, "a b"]) -> Float[Tensor, "a a"]:
    a, b = w.shape
    if a == b:
        return w @ w
    return w @ w.T


def batch_of_one(x: Float[Tensor, "b d"]) -> Float[Tensor, "d"]:
    (row,) = x
    return row


# run: interaction(randn(3, 5), randn(7, 5)); add_paired(randn(3, 5), randn(3, 5)); square(randn(2, 9, 3)); heads(randn(2, 5, 6), 3); same_shape(randn(2, 3), randn(2, 3)); unknown_rank(randn(2, 3), randn(3, 5))
# run: only_pairs(randn(3, 2, 5)); pool(randn(2, 7, 3), 3); aligned(randn(2, 3, 5), randn(2, 5, 7)); clamp_length(randn(2, 5, 3), randn(11, 3)); ranked(randn(3), 5); triangular(randn(5, 3)); square_only(randn(3, 3)); square_only(randn(3, 5)); batch_of_one(randn(1, 5))
