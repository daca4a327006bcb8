"""FLOPs of fused attention, forward and backward, and of the fused encoder layer.

Scores and mixing are one product each: ``2 B H Q K D`` and ``2 B H Q K Dv``.  The backward needs four
such products; a kernel that kept only the log-sum-exp computes the scores once more, which is
``recompute``.  Under a causal mask of Q queries on K keys aligned at the top left, the query ``i``
needs ``min(i + 1, K)`` keys; what lies above the diagonal is ``masked``.
"""

from __future__ import annotations

from collections.abc import Callable

from typedtorch.accounting.count import Count, argument, tensor
from typedtorch.accounting.trace import Op
from typedtorch.shapes.size import Size, floor_div, product


def unused(queries: Size, keys: Size) -> Size:
    """How many of the ``queries * keys`` scores a causal mask discards."""
    if isinstance(queries, int) and isinstance(keys, int) and queries > keys:
        return floor_div(keys * (keys - 1), 2)
    return queries * keys - floor_div(queries * (queries + 1), 2)


def _parts(op: Op, *, sequence_second: bool = False) -> tuple[Size, Size, Size, Size, Size, Size]:
    """batch*heads, queries, keys, head_dim, value_dim, discarded scores."""
    query, key, value = (tensor(op, name).shape for name in ("query", "key", "value"))
    at = -3 if sequence_second else -2
    heads = product(query[:-2]) if not sequence_second else product(query[:-3]) * query[-2]
    try:
        causal = bool(argument(op, "is_causal"))
    except KeyError:
        causal = bool(argument(op, "custom_mask_type"))
    discarded = unused(query[at], key[at]) if causal else 0
    return heads, query[at], key[at], query[-1], value[-1], discarded


def _forward(sequence_second: bool = False) -> Callable[[Op], Count]:
    def count(op: Op) -> Count:
        heads, queries, keys, dim, value_dim, unused = _parts(op, sequence_second=sequence_second)
        each = 2 * heads * (dim + value_dim)
        return Count(
            matmul=each * queries * keys, masked=each * unused, elementwise=5 * heads * queries * keys
        )

    return count


def _backward(sequence_second: bool = False) -> Callable[[Op], Count]:
    def count(op: Op) -> Count:
        heads, queries, keys, dim, value_dim, unused = _parts(op, sequence_second=sequence_second)
        each = 4 * heads * (dim + value_dim)
        again = 2 * heads * dim
        return Count(
            matmul=each * queries * keys,
            recompute=again * queries * keys,
            masked=each * unused,
            elementwise=6 * heads * queries * keys,
        )

    return count


def _projections(op: Op, tokens: Size, source: Size) -> Size:
    return 2 * (tokens * tensor(op, "proj_weight").numel + source * tensor(op, "qkv_weight").numel)


def _native_attention(op: Op) -> Count:
    """Projections in and out around plain attention."""
    batch, queries, width = tensor(op, "query").shape
    keys = tensor(op, "key").shape[1]
    inner = 4 * batch * queries * keys * width
    return Count(matmul=_projections(op, batch * queries, batch * queries) + inner)


def scores_and_mixing(op: Op) -> Size:
    """FLOPs of a call of fused attention without the projections that some kernels do as well."""
    name = op.name.rsplit(".", 1)[0]
    if name in ("aten._native_multi_head_attention", "aten._transformer_encoder_layer_fwd"):
        query = argument(op, "query" if "native" in name else "src").shape
        keys: Size = argument(op, "key").shape[1] if "native" in name else query[1]
        return 4 * product(query) * keys
    return ATTENTION[name](op).matmul


def _encoder_layer(op: Op) -> Count:
    """The fused inference path of ``nn.TransformerEncoderLayer``."""
    batch, queries, width = tensor(op, "src").shape
    tokens = batch * queries
    ffn = tensor(op, "ffn_weight_1").numel + tensor(op, "ffn_weight_2").numel
    inner = 4 * batch * queries * queries * width
    return Count(matmul=_projections(op, tokens, tokens) + 2 * tokens * ffn + inner)


_SDPA = "aten._scaled_dot_product_"
ATTENTION: dict[str, Callable[[Op], Count]] = {
    **{f"{_SDPA}{kind}": _forward() for kind in (
        "flash_attention_for_cpu", "flash_attention", "efficient_attention", "cudnn_attention",
        "fused_attention_overrideable",
    )},
    **{f"{_SDPA}{kind}_backward": _backward() for kind in (
        "flash_attention_for_cpu", "flash_attention", "efficient_attention", "cudnn_attention",
        "fused_attention_overrideable",
    )},
    "aten._flash_attention_forward": _forward(sequence_second=True),
    "aten._efficient_attention_forward": _forward(sequence_second=True),
    "aten._flash_attention_backward": _backward(sequence_second=True),
    "aten._efficient_attention_backward": _backward(sequence_second=True),
    "aten._native_multi_head_attention": _native_attention,
    "aten._transformer_encoder_layer_fwd": _encoder_layer,
}  # fmt: skip
