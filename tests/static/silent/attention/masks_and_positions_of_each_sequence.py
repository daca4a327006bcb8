"""The library's attention with a mask, and rotary positions, for each sequence of a batch."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from typedtorch import functional as TF
from typedtorch import nn


def padded(
    q: Float[Tensor, "batch heads seq dim"], keep: Bool[Tensor, "batch seq"]
) -> Float[Tensor, "batch heads seq dim"]:
    causal = torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool).tril()
    return TF.attention(q, q, q, keep[:, None, None, :]) + TF.attention(
        q, q, q, keep[:, None, None, :] & causal
    )


def packed(
    x: Float[Tensor, "batch seq 32"], positions: Int[Tensor, "batch seq"]
) -> Float[Tensor, "batch seq 32"]:
    return nn.Attention(32, 4)(x, nn.Rotation(*TF.rope_table(positions, 8)))


def turned(
    q: Float[Tensor, "batch heads seq dim"], positions: Int[Tensor, "batch seq"]
) -> Float[Tensor, "batch heads seq dim"]:
    cos, sin = TF.rope_table(positions, q.shape[-1])
    return TF.rope_interleaved(q, cos[:, None], sin[:, None])

# run: padded(randn(2, 3, 5, 4), torch.ones(2, 5, dtype=torch.bool))
# run: packed(randn(2, 5, 32), torch.arange(5).expand(2, 5))
# run: turned(randn(2, 3, 5, 4), torch.arange(5).expand(2, 5))
