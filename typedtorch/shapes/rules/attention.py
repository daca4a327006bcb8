"""Attention and the Transformer layers of torch, with their FLOPs."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import BOOL, FLOAT32, FLOATING
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules.axis_patterns import tail
from typedtorch.shapes.rules.forms import broadcasts, functional, need
from typedtorch.shapes.rules.indexing import broadcastable_into
from typedtorch.shapes.rules.promotion import common_dtype, mask_of
from typedtorch.shapes.size import Size, product, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    Pack,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    broadcast,
    entry_size,
    show,
)


def _agree(a: Any, b: Any, what: str, first: str, second: str) -> None:
    if a is not None and b is not None and same(a, b) is False:
        raise ShapeError(f"{what} of {first} is {a} and of {second} {b}")


def _attend(
    query: Any, key: Any, value: Any, enable_gqa: Any
) -> tuple[Shape, list[Size | None], list[Size | None], list[Size | None]]:
    """The leading axes and the last two of each operand, checked against each other."""
    names = [name(t, p) for t, p in ((query, "query"), (key, "key"), (value, "value"))]
    for tensor, who in zip((query, key, value), names, strict=True):
        if need(tensor).rank is not None and len(tensor.shape) < 2:
            raise ShapeError(f"{who} has shape {show(tensor.shape)}, wanted (..., length, head_dim)")
    q, k, v = (tail(t.shape, 2) for t in (query, key, value))
    _agree(q[1], k[1], "the last axis", names[0], names[1])
    _agree(k[0], v[0], "the last but one axis", names[1], names[2])
    return _batch(query, key, value, enable_gqa, names), q, k, v


def _batch(query: Tensor, key: Tensor, value: Tensor, enable_gqa: Any, names: list[str]) -> Shape:
    """Leading axes broadcast; with grouped queries the heads of key and value divide those of query."""
    leads = []
    for tensor in (query, key, value):
        hidden = None in tail(tensor.shape, 2)
        leads.append((ANY_AXES,) if hidden else tensor.shape[:-2])
    if enable_gqa is not False:
        if len({t.rank for t in (query, key, value)}) > 1:
            raise Undecided
        if enable_gqa is True and query.rank == 2:
            raise ShapeError(f"enable_gqa=True and {names[0]} has no axis of heads: {show(query.shape)}")
        if enable_gqa is True:
            _check_groups(query, key, value, names)
        if any(not lead or isinstance(lead[-1], Pack) for lead in leads):
            return leads[0]
        leads = [(*lead[:-1], leads[0][-1]) for lead in leads]
    try:
        return broadcast(*leads)
    except ShapeError:
        a, b = next((i, j) for i, j in ((0, 1), (0, 2), (1, 2)) if not broadcasts(leads[i], leads[j]))
        raise ShapeError(
            f"the leading axes {show(leads[a])} of {names[a]} and {show(leads[b])} of {names[b]} do "
            "not broadcast",
            hint="enable_gqa=True if there are fewer key heads than query heads"
            if _groups(leads[a], leads[b])
            else None,
        ) from None


def _groups(a: Shape, b: Shape) -> bool:
    x, y = (a[-1], b[-1]) if a and b else (None, None)
    return isinstance(x, int) and isinstance(y, int) and y > 0 and x % y == 0 and a[:-1] == b[:-1]


def _check_groups(query: Tensor, key: Tensor, value: Tensor, names: list[str]) -> None:
    heads = [tail(t.shape, 3)[0] for t in (query, key, value)]
    for count, who in zip(heads[1:], names[1:], strict=True):
        if isinstance(heads[0], int) and isinstance(count, int) and (count == 0 or heads[0] % count):
            raise ShapeError(f"{names[0]} has {heads[0]} heads, not a multiple of the {count} of {who}")


def attention_flops(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: Any = 0.0,
    is_causal: Any = False,
    scale: Any = None,
    enable_gqa: Any = False,
) -> Size:
    """Scores and the weighted sum: ``2 b h s t (d + e)``; a causal mask is not counted as a saving."""
    lead, q, k, v = _attend(need(query), need(key), need(value), enable_gqa)
    scores = _batch(query, key, key, enable_gqa, ["query", "key", "key"])
    length, width, depth, extent = q[0], q[1], v[1], k[0]
    if length is None or width is None or depth is None or extent is None:
        raise Undecided
    area = 2 * length * extent
    first = product(entry_size(e) for e in scores) * width
    second = product(entry_size(e) for e in lead) * depth
    return area * (first + second)


@rule(*functional("scaled_dot_product_attention"), flops=attention_flops, sample=(
    "f:b h s d, f:b h t d, f:b h t e | f:b h s d, f:b h s d, f:b h s d, is_causal=True | "
        "f:b h s d, f:b h t d, f:b h t d, B:s t | "
    "f:b h s d, f:b h t d, f:b h t d, f:b h s t | "
        "f:b 4 s d, f:b 2 t d, f:b 2 t d, enable_gqa=True | f:b s d, f:b t d, f:b t d | "
            "f:b h s d, f:b h t d, f:b h t d, attn_mask=B:b 1 s t"))  # fmt: skip
def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: Any = 0.0,
    is_causal: Any = False,
    scale: Any = None,
    enable_gqa: Any = False,
) -> Tensor:
    """``(..., s, d), (..., t, d), (..., t, e) -> (..., s, e)``."""
    mask = (
        common_dtype((need(query), "query"), (need(key), "key"), (need(value), "value"), what="attention")
        & FLOATING
    )
    if not mask:
        raise ShapeError(
            f"{name(query, 'query')} is {dtypes.show(mask_of(query))}, wanted a floating dtype", "dtype"
        )
    lead, q, k, v = _attend(query, key, value, enable_gqa)
    if isinstance(attn_mask, Tensor):
        if is_causal is True:
            raise ShapeError("attn_mask and is_causal=True exclude each other")
        _check_mask(
            attn_mask, (*lead, unknown() if q[0] is None else q[0], unknown() if k[0] is None else k[0]), mask
        )
    return query.of((*lead, unknown() if q[0] is None else q[0], unknown() if v[1] is None else v[1]), mask)


def _check_mask(attn_mask: Tensor, scores: Shape, mask: int) -> None:
    """A mask must broadcast to the scores ``(..., s, t)``."""
    who = name(attn_mask, "attn_mask")
    if not mask_of(attn_mask) & (BOOL | FLOAT32 | mask):  # float32 beside any other
        wanted = "bool, float32" if mask & ~FLOAT32 else "bool"
        raise ShapeError(
            f"{who} is {dtypes.show(mask_of(attn_mask))}, wanted {wanted} or {dtypes.show(mask)}",
            "dtype",
            f"{who}.bool()",
        )

    if broadcastable_into(attn_mask.shape, scores) is False:
        raise ShapeError(
            f"{who} has shape {show(attn_mask.shape)}, which does not broadcast to the scores {show(scores)}"
        )


@rule(
    "torch.nn.attention.flex_attention.flex_attention",
    sample="F:b h s d, F:b h t d, F:b h t e | F:b 4 s d, F:b 2 t d, F:b 2 t d, enable_gqa=True",
)
def flex_attention(
    query: Any,
    key: Any,
    value: Any,
    score_mod: Any = None,
    block_mask: Any = None,
    scale: Any = None,
    enable_gqa: Any = False,
    return_lse: Any = False,
    kernel_options: Any = None,
    *,
    return_aux: Any = None,
    **settings: Any,
) -> Any:
    if return_lse is not False or return_aux is not None:
        raise Undecided
    for tensor, parameter in ((query, "query"), (key, "key"), (value, "value")):
        if need(tensor).rank not in (None, 4):
            raise ShapeError(
                f"{name(tensor, parameter)} has shape {show(tensor.shape)}, wanted (batch, heads, "
                "length, head_dim)"
            )
    if not mask_of(query) & mask_of(key) & mask_of(value):
        raise Undecided  # compiled or not, it may promote
    if None not in (query.rank, key.rank, value.rank):
        if enable_gqa is False and block_mask is None:
            _check_heads(query, (key, "key"), (value, "value"))
        elif query.shape[0] != key.shape[0] or key.shape[:2] != value.shape[:2]:
            raise Undecided
    return scaled_dot_product_attention(query, key, value, enable_gqa=enable_gqa)


def _check_heads(query: Tensor, *others: tuple[Tensor, str]) -> None:
    """The first two axes, which nothing broadcasts here but the batch of the values."""
    fewer = "enable_gqa=True if there are fewer key heads than query heads"
    for axis, what, hint in ((0, "batch size", None), (1, "number of heads", fewer)):
        for tensor, parameter in others:
            spread = axis == 0 and parameter == "value" and tensor.shape[0] == 1
            if not spread and same(query.sizes()[axis], tensor.sizes()[axis]) is False:
                raise ShapeError(
                    f"the {what} is {query.shape[axis]} in {name(query, 'query')} "
                    f"and {tensor.shape[axis]} in {name(tensor, parameter)}",
                    hint=hint,
                )
