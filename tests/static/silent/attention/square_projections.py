"""Weights whose annotation has names for both widths, put into a model where the two are one."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.v_proj = nn.Linear(d_model, d_model, bias=False)
        self.o_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Float[Tensor, "... seq d_in"]) -> Float[Tensor, "... seq d_out"]:
        q, v = (p(x).unflatten(-1, (self.num_heads, -1)).transpose(-3, -2) for p in (self.q_proj, self.v_proj))
        mixed = (q @ q.mT).softmax(-1) @ v
        return self.o_proj(mixed.transpose(-3, -2).flatten(-2))


def run(
    d_model: int,
    num_heads: int,
    q_proj_weight: Float[Tensor, "d_k d_in"],
    v_proj_weight: Float[Tensor, "d_v d_in"],
    o_proj_weight: Float[Tensor, "d_model d_v"],
    features: Float[Tensor, "... seq d_in"],
) -> Float[Tensor, "... seq d_out"]:
    attention = Attention(d_model, num_heads)
    attention.q_proj.weight.data.copy_(q_proj_weight)
    attention.v_proj.weight.data.copy_(v_proj_weight)
    attention.o_proj.weight.data.copy_(o_proj_weight)
    return attention(features)


# run: run(8, 2, randn(8, 8), randn(8, 8), randn(8, 8), randn(3, 5, 8))
