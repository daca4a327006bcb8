"""Attention with grouped queries, over torch's scaled_dot_product_attention.

Vaswani et al., Attention Is All You Need, arXiv:1706.03762; grouped queries: Ainslie et al.,
arXiv:2305.13245.  Query head ``h`` reads key head ``h * kv_heads // heads``: neighbouring query
heads share a key head.  :func:`naive_attention` spells the same mathematics out.
"""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Shaped
from torch import Tensor


def attention(
    q: Float[Tensor, "*batch heads q_seq head_dim"],
    k: Float[Tensor, "*batch kv_heads k_seq head_dim"],
    v: Float[Tensor, "*batch kv_heads k_seq v_dim"],
    mask: Bool[Tensor, "#q_seq #k_seq"] | Bool[Tensor, "*#batch #heads #q_seq #k_seq"] | None = None,
    *,
    scale: float | None = None,
    dropout: float = 0.0,
) -> Float[Tensor, "*batch heads q_seq v_dim"]:
    """Weighted means of ``v``: ``softmax(scale * q @ k.T) @ v``, head by head.

    Args:
        q: queries; ``heads`` is a multiple of ``kv_heads``.
        k: keys.
        v: values.
        mask: True where a query may look; nothing to let every query see every key.  One for each sequence
            of a batch has an axis of 1 beside the heads: ``padding[:, None, None, :]``.
        scale: ``1 / sqrt(head_dim)`` unless given.
        dropout: probability of dropping a weight; pass 0 when not training.

    Raises:
        ValueError: ``heads`` is not a multiple of ``kv_heads``, keys and values differ in number, queries and
            keys in width, or there is no axis of heads.
        TypeError: the mask is not of bools.

    >>> q = k = torch.zeros(1, 2, 3, 4)
    >>> attention(q, k, torch.arange(12.0).view(1, 1, 3, 4).expand(1, 2, 3, 4))[0, 0, 0]
    tensor([4., 5., 6., 7.])
    """
    _check(q, k, v, mask)
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, dropout_p=dropout, scale=scale, enable_gqa=q.shape[-3] != k.shape[-3]
    )


def causal_attention(
    q: Float[Tensor, "*batch heads seq head_dim"],
    k: Float[Tensor, "*batch kv_heads seq head_dim"],
    v: Float[Tensor, "*batch kv_heads seq v_dim"],
    *,
    scale: float | None = None,
    dropout: float = 0.0,
) -> Float[Tensor, "*batch heads seq v_dim"]:
    """:func:`attention` in which position ``i`` sees positions ``0..i``.

    Raises:
        ValueError: ``heads`` is not a multiple of ``kv_heads``, or there are more or fewer keys than queries.

    >>> zeros = torch.zeros(1, 1, 3, 1)
    >>> causal_attention(zeros, zeros, torch.tensor([0.0, 2.0, 7.0]).view(1, 1, 3, 1)).flatten()
    tensor([0., 1., 3.])
    """
    _check(q, k, v)
    q_seq, k_seq = q.shape[-2], k.shape[-2]
    if q_seq != k_seq:  # torch would let query i see keys 0..i
        raise ValueError(
            f"causal_attention: {q_seq} queries and {k_seq} keys; suffix_attention is for the last keys"
        )
    return F.scaled_dot_product_attention(
        q, k, v, is_causal=True, dropout_p=dropout, scale=scale, enable_gqa=q.shape[-3] != k.shape[-3]
    )


def suffix_attention(
    q: Float[Tensor, "*batch heads q_seq head_dim"],
    k: Float[Tensor, "*batch kv_heads k_seq head_dim"],
    v: Float[Tensor, "*batch kv_heads k_seq v_dim"],
    *,
    scale: float | None = None,
) -> Float[Tensor, "*batch heads q_seq v_dim"]:
    """Causal attention of the last ``q_seq`` of ``k_seq`` positions: a step of cached decoding.

    Query ``i`` stands at position ``k_seq - q_seq + i``.  (torch's ``is_causal`` would put it
    at position ``i``.)

    Raises:
        ValueError: more queries than keys, or ``heads`` is not a multiple of ``kv_heads``.

    >>> q, k = torch.zeros(1, 1, 1, 1), torch.zeros(1, 1, 3, 1)
    >>> suffix_attention(q, k, torch.tensor([0.0, 2.0, 7.0]).view(1, 1, 3, 1)).item()
    3.0
    """
    q_seq, k_seq = q.shape[-2], k.shape[-2]
    if q_seq > k_seq:
        raise ValueError(f"suffix_attention: {q_seq} queries are not a suffix of {k_seq} keys")
    if q_seq == 1:  # the last position sees everything
        return attention(q, k, v, scale=scale)
    mask = torch.ones(q_seq, k_seq, dtype=torch.bool, device=q.device).tril(k_seq - q_seq)
    return attention(q, k, v, mask, scale=scale)


def naive_attention(
    q: Float[Tensor, "*batch heads q_seq head_dim"],
    k: Float[Tensor, "*batch kv_heads k_seq head_dim"],
    v: Float[Tensor, "*batch kv_heads k_seq v_dim"],
    mask: Bool[Tensor, "#q_seq #k_seq"] | Bool[Tensor, "*#batch #heads #q_seq #k_seq"] | None = None,
    *,
    scale: float | None = None,
) -> Float[Tensor, "*batch heads q_seq v_dim"]:
    """:func:`attention` line by line, holding all the weights: the reference the tests use.

    A query that may look nowhere gets zeros, as in torch.

    >>> x = torch.randn(1, 2, 3, 4)
    >>> torch.allclose(naive_attention(x, x, x), attention(x, x, x), atol=1e-6)
    True
    """
    _check(q, k, v, mask)
    group = q.shape[-3] // k.shape[-3]
    keys, values = k.repeat_interleave(group, dim=-3), v.repeat_interleave(group, dim=-3)
    scores = q @ keys.transpose(-2, -1) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask.any(-1, keepdim=True), 0.0)
    return weights @ values


def _check(
    q: Float[Tensor, "*batch heads seq head_dim"],
    k: Float[Tensor, "*batch kv_heads k_seq head_dim"],
    v: Float[Tensor, "*batch v_heads v_seq v_dim"],
    mask: Shaped[Tensor, "*mask"] | None = None,
) -> None:
    if mask is not None and mask.dtype is not torch.bool:  # torch would add its ones and zeros to the scores
        raise TypeError(f"attention: the mask is bool, True where a query may look, got {mask.dtype}")
    if min(q.ndim, k.ndim, v.ndim) < 3:
        raise ValueError(
            f"attention: q, k and v are (..., heads, seq, head_dim), got {tuple(q.shape)}, "
            f"{tuple(k.shape)} and {tuple(v.shape)}; give one head an axis of 1"
        )
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"attention: queries have {q.shape[-1]} features and keys {k.shape[-1]}")
    heads, kv_heads = q.shape[-3], k.shape[-3]
    if k.shape[-3:-1] != v.shape[-3:-1]:  # torch's kernel would read past the end of the shorter one
        (k_heads, k_seq), (v_heads, v_seq) = k.shape[-3:-1], v.shape[-3:-1]
        raise ValueError(
            f"attention: {k_heads} heads of {k_seq} keys, and {v_heads} heads of {v_seq} values: "
            "each key has one value"
        )
    if kv_heads == 0 or heads % kv_heads:
        raise ValueError(f"attention: {heads} query heads are not a multiple of {kv_heads} key heads")
