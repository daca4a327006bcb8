"""Outer products, pairwise tables and grids that repeat an axis because they should."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def pairwise_difference(x: Float[Tensor, "n"]) -> Float[Tensor, "n n"]:
    return x[:, None] - x[None, :]


def pairwise_distance(x: Float[Tensor, "n d"]) -> Float[Tensor, "n n"]:
    diff = x.unsqueeze(1) - x.unsqueeze(0)
    return diff.norm(dim=-1)


def same_label(labels: Int[Tensor, "n"]) -> Bool[Tensor, "n n"]:
    return labels.unsqueeze(0) == labels.unsqueeze(1)


def block_mask(segment: Int[Tensor, "b s"]) -> Bool[Tensor, "b s s"]:
    return segment[:, :, None] == segment[:, None, :]


def causal(n: int) -> Bool[Tensor, "{n} {n}"]:
    i = torch.arange(n)
    return i.view(-1, 1) >= i.view(1, -1)


def squared_distances(x: Float[Tensor, "n d"]) -> Float[Tensor, "n n"]:
    sq = (x * x).sum(-1, keepdim=True)
    return sq + sq.T - 2 * x @ x.T


def pair_bias(q: Float[Tensor, "b h s"], k: Float[Tensor, "b h s"]) -> Float[Tensor, "b h s s"]:
    return torch.tanh(q[..., :, None] + k[..., None, :])


def rank_loss(score: Float[Tensor, "b n"], gain: Float[Tensor, "b n"]) -> Float[Tensor, "b"]:
    better = gain[:, :, None] > gain[:, None, :]
    margin = score[:, :, None] - score[:, None, :]
    return (torch.relu(1 - margin) * better).sum(dim=(1, 2)) / better.sum(dim=(1, 2)).clamp(min=1)


def gaussian_kernel(x: Float[Tensor, "n 1"]) -> Float[Tensor, "n n"]:
    return torch.exp(-0.5 * (x - x.T) ** 2)


def normalised_adjacency(a: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
    d = a.sum(1).clamp(min=1).rsqrt()
    return d[:, None] * a * d[None, :]


def row_softmax(a: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
    a = a - a.amax(dim=1, keepdim=True)
    e = a.exp()
    return e / e.sum(dim=1, keepdim=True)


def symmetric(a: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
    return (a + a.T) / 2


def scatter_outer(a: Float[Tensor, "b i"], b: Float[Tensor, "b j"]) -> Float[Tensor, "b i j"]:
    return a.unsqueeze(2) * b.unsqueeze(1)


def energy(x: Float[Tensor, "n d"], w: Float[Tensor, "n"]) -> Float[Tensor, ""]:
    outer = w[:, None] * w
    return (outer * squared_distances(x)).sum()


def contrast(z: Float[Tensor, "n d"], weights: Float[Tensor, "n 1"]) -> Float[Tensor, "n n"]:
    table = z @ z.T
    return table * weights + weights.T * table


def grid(n: int, m: int) -> Float[Tensor, "{n} {m} 2"]:
    y = torch.linspace(-1, 1, n)[:, None].expand(n, m)
    x = torch.linspace(-1, 1, m).expand(n, m)
    return torch.stack([x, y], dim=-1)


def scalar_column(loss: Float[Tensor, "b"], weight: Float[Tensor, "1"]) -> Float[Tensor, "b"]:
    return loss * weight


def per_feature(x: Float[Tensor, "b d"], scale: Float[Tensor, "d"], mean: Float[Tensor, "1 d"]) -> Float[Tensor, "b d"]:
    return (x - mean) * scale


# run: x = randn(5); X = randn(5, 3); pairwise_difference(x); pairwise_distance(X); same_label(randint(0, 2, (5,))); block_mask(randint(0, 2, (2, 5))); causal(5); squared_distances(X)
# run: pair_bias(randn(2, 3, 5), randn(2, 3, 5)); rank_loss(randn(2, 5), randn(2, 5)); gaussian_kernel(randn(5, 1)); A = torch.rand(5, 5); normalised_adjacency(A); row_softmax(A); symmetric(A)
# run: scatter_outer(randn(2, 3), randn(2, 5)); energy(X, x); contrast(X, randn(5, 1)); grid(3, 5); scalar_column(randn(5), randn(1)); per_feature(randn(2, 3), randn(3), randn(1, 3))
