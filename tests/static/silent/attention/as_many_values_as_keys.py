"""Attention takes a value for each key: two names for one length, as many write them."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn


def attend(
    Q: Float[Tensor, " ... queries d_k"],
    K: Float[Tensor, " ... keys d_k"],
    V: Float[Tensor, " ... values d_v"],
    mask: Bool[Tensor, " ... queries keys"] | None = None,
) -> Float[Tensor, " ... queries d_v"]:
    scores = torch.einsum("...qd,...kd->...qk", Q, K) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ V


def by_other_names(
    q: Float[Tensor, "b len_q d"], k: Float[Tensor, "b len_k d"], v: Float[Tensor, "b len_k d_v"]
) -> Float[Tensor, "b len_q d_v"]:
    return attend(q, k, v)


class Heads(nn.Module):
    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v = (nn.Linear(d_model, d_model) for _ in range(3))

    def split(self, x: Float[Tensor, "b n d_model"]) -> Float[Tensor, "b heads n head_dim"]:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(
        self,
        query: Float[Tensor, "b n_query d_model"],
        key: Float[Tensor, "b n_key d_model"],
        value: Float[Tensor, "b n_value d_model"],
    ) -> Float[Tensor, "b n_query d_model"]:
        q, k, v = self.split(self.q(query)), self.split(self.k(key)), self.split(self.v(value))
        return attend(q, k, v).transpose(1, 2).flatten(2)


def wrapped(
    Q: Float[Tensor, "b queries d"], K: Float[Tensor, "b keys d"], V: Float[Tensor, "b values d_v"]
) -> Float[Tensor, "b queries d_v"]:
    return by_other_names(Q, K, V)


# run: attend(randn(2, 3, 8), randn(2, 5, 8), randn(2, 5, 8), torch.ones(2, 3, 5, dtype=torch.bool))
# run: wrapped(randn(2, 3, 8), randn(2, 5, 8), randn(2, 5, 6))
# run: Heads(8, 2)(randn(2, 3, 8), randn(2, 5, 8), randn(2, 5, 8))
