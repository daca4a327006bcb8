from __future__ import annotations

import torch
import torch.nn.functional as F
from einops import einsum, rearrange
from jaxtyping import Float
from torch import Tensor


def feature_map(x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
    return F.elu(x) + 1


def linear_attention(
    q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h n d"], v: Float[Tensor, "b h n e"]
) -> Float[Tensor, "b h n e"]:
    q, k = feature_map(q), feature_map(k)
    kv = einsum(k, v, "b h n d, b h n e -> b h d e")
    z = 1 / (einsum(q, k.sum(2), "b h n d, b h d -> b h n") + 1e-6)
    return einsum(q, kv, z, "b h n d, b h d e, b h n -> b h n e")


def causal_linear_attention(
    q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h n d"], v: Float[Tensor, "b h n e"], chunk: int
) -> Float[Tensor, "b h n e"]:
    q, k = feature_map(q), feature_map(k)
    qc, kc, vc = (rearrange(t, "b h (c n) d -> b h c n d", n=chunk) for t in (q, k, v))
    kv = torch.einsum("bhcnd,bhcne->bhcde", kc, vc)
    kv = kv.cumsum(dim=2) - kv
    inter = torch.einsum("bhcnd,bhcde->bhcne", qc, kv)
    scores = qc @ kc.mT
    scores = scores.tril()
    out = inter + scores @ vc
    return rearrange(out, "b h c n e -> b h (c n) e")


def online_softmax_attention(
    q: Float[Tensor, "n d"], k: Float[Tensor, "m d"], v: Float[Tensor, "m e"], block: int
) -> Float[Tensor, "n e"]:
    n = q.shape[0]
    out = q.new_zeros(n, v.shape[1])
    peak = q.new_full((n,), -torch.inf)
    norm = q.new_zeros(n)
    for start in range(0, k.shape[0], block):
        kb, vb = k[start : start + block], v[start : start + block]
        s = q @ kb.T
        new_peak = torch.maximum(peak, s.amax(dim=1))
        scale = (peak - new_peak).exp()
        p = (s - new_peak[:, None]).exp()
        norm = norm * scale + p.sum(1)
        out = out * scale[:, None] + p @ vb
        peak = new_peak
    return out / norm[:, None]


def alibi_slopes(heads: int) -> Float[Tensor, "{heads}"]:
    return torch.tensor([2 ** (-8 * (i + 1) / heads) for i in range(heads)])


def alibi(scores: Float[Tensor, "b h q k"]) -> Float[Tensor, "b h q k"]:
    *_, h, q, k = scores.shape
    distance = torch.arange(k)[None, :] - torch.arange(q)[:, None]
    return scores + alibi_slopes(h)[:, None, None] * distance.clamp(max=0)


# run: linear_attention(randn(2, 3, 8, 5), randn(2, 3, 8, 5), randn(2, 3, 8, 7))
# run: causal_linear_attention(randn(2, 3, 8, 5), randn(2, 3, 8, 5), randn(2, 3, 8, 7), 4)
# run: online_softmax_attention(randn(5, 3), randn(11, 3), randn(11, 7), 4); alibi(randn(2, 3, 5, 7))
