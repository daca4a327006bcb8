"""Multi-head attention and the Transformer layers of torch."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import FLOATING
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import Function, Layer, layer, name, rule
from typedtorch.shapes.rules.axis_patterns import tail
from typedtorch.shapes.rules.forms import is_size, need
from typedtorch.shapes.rules.linear import linear_layer, own_bias, parameter_dtype
from typedtorch.shapes.rules.promotion import common_dtype, dtype_of, mask_of, want
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import (
    UNKNOWN,
    Entry,
    ShapeError,
    Tensor,
    Undecided,
    entry_size,
    show,
)

# --- multi-head attention ----------------------------------------------------------------------


def _sequence(tensor: Any, parameter: str, width: Any, what: str, batch_first: Any) -> None:
    """Rank 2 or 3 with the embedding last."""
    who = name(tensor, parameter)
    layout = "(batch, seq, embed)" if batch_first is True else "(seq, batch, embed)"
    if need(tensor).rank not in (None, 2, 3):
        raise ShapeError(f"{who} has shape {show(tensor.shape)}, wanted {layout} or (seq, embed)")
    last = tail(tensor.shape, 1)[0]
    if last is not None and is_size(width) and same(last, width) is False:
        raise ShapeError(f"{what} is {width} and the last axis of {who} is {last}")


def _length_batch(tensor: Tensor, batch_first: Any) -> tuple[Entry, Entry | None]:
    if len(tensor.shape) == 2:
        return tensor.shape[0], None
    return (tensor.shape[1], tensor.shape[0]) if batch_first else (tensor.shape[0], tensor.shape[1])


@layer("torch.nn.MultiheadAttention", sample=(
    "4, 2 -> F:s b 4, F:t b 4, F:t b 4 | 4, 2, batch_first=True -> F:b s 4, F:b t 4, F:b t 4 | "
        "4, 2, batch_first=True -> F:b s 4, F:b t 4, F:b t 4, need_weights=False | "
    "4, 2 -> F:s 4, F:t 4, F:t 4 | "
        "4, 2, kdim=3, vdim=5, batch_first=True -> F:b s 4, F:b t 3, F:b t 5 | "
            "4, 2, batch_first=True -> F:b s 4, F:b s 4, F:b s 4, average_attn_weights=False"))  # fmt: skip
def multihead_attention(
    embed_dim: Any,
    num_heads: Any,
    dropout: Any = 0.0,
    bias: Any = True,
    add_bias_kv: Any = False,
    add_zero_attn: Any = False,
    kdim: Any = None,
    vdim: Any = None,
    batch_first: Any = False,
    device: Any = None,
    dtype: Any = None,
) -> Layer:
    _heads_divide(embed_dim, num_heads, "embed_dim", "num_heads")

    def forward(
        query: Any,
        key: Any,
        value: Any,
        key_padding_mask: Any = None,
        need_weights: Any = True,
        attn_mask: Any = None,
        average_attn_weights: Any = True,
        is_causal: Any = False,
    ) -> Any:
        for tensor, parameter, width, what in (
            (query, "query", None, ""), (key, "key", kdim, "kdim"), (value, "value", vdim, "vdim")
        ):  # fmt: skip
            own = (embed_dim, "embed_dim") if width is None else (width, what)
            _sequence(tensor, parameter, *own, batch_first)
        mask = common_dtype((query, "query"), (key, "key"), (value, "value")) & FLOATING
        if not mask:
            raise ShapeError(
                f"{name(query, 'query')} is {dtypes.show(mask_of(query))}, wanted a floating dtype", "dtype"
            )
        output = query.of(query.shape, mask)
        if batch_first is UNKNOWN or None in (query.rank, key.rank, value.rank):
            return output, UNKNOWN
        _same_batch(query, key, value, batch_first)
        _check_padding(key_padding_mask, "key_padding_mask", key, batch_first)
        _check_scores_mask(attn_mask, "attn_mask", query, key, num_heads, batch_first)
        if need_weights is UNKNOWN:
            return output, UNKNOWN
        if need_weights is False:
            return output, None
        if UNKNOWN in (add_zero_attn, add_bias_kv):
            return output, UNKNOWN
        (length, batch), (extent, _) = _length_batch(query, batch_first), _length_batch(key, batch_first)
        extent = entry_size(extent) + bool(add_zero_attn) + bool(add_bias_kv)
        heads = [] if average_attn_weights is True else [num_heads if is_size(num_heads) else unknown()]
        return output, query.of((*([] if batch is None else [batch]), *heads, length, extent), mask)

    width = embed_dim // num_heads if is_size(embed_dim) and is_size(num_heads) else UNKNOWN
    held = {"embed_dim": embed_dim, "num_heads": num_heads, "head_dim": width, "batch_first": batch_first}
    return Layer(forward, held | _projections(embed_dim, kdim, vdim, bias, dtype))


def _projections(width: Any, kdim: Any, vdim: Any, bias: Any, dtype: Any) -> dict[str, Any]:
    """The weights of multi-head attention: one for all three projections, or one for each."""
    if not is_size(width):
        return {}
    mask = parameter_dtype(dtype)
    held: dict[str, Any] = {"out_proj": linear_layer(width, width, bias, dtype=dtype)}
    held["in_proj_bias"] = own_bias(3 * width, bias, dtype)
    inner = {"k": width if kdim is None else kdim, "v": width if vdim is None else vdim}
    if not all(is_size(size) for size in inner.values()):
        return held
    apart = {
        f"{one}_proj_weight": Tensor((width, size), mask) for one, size in (("q", width), *inner.items())
    }
    if all(size == width for size in inner.values()):
        return held | dict.fromkeys(apart) | {"in_proj_weight": Tensor((3 * width, width), mask)}
    if any(same(size, width) is None for size in inner.values()):
        return held
    return held | apart | {"in_proj_weight": None}


def _heads_divide(width: Any, heads: Any, first: str, second: str) -> None:
    if isinstance(width, int) and isinstance(heads, int) and (heads <= 0 or width % heads):
        raise ShapeError(f"{second}={heads} does not divide {first}={width}")


def _same_batch(query: Tensor, key: Tensor, value: Tensor, batch_first: Any) -> None:
    names = [name(t, p) for t, p in ((query, "query"), (key, "key"), (value, "value"))]
    if len({len(t.shape) for t in (query, key, value)}) > 1:
        raise ShapeError(
            f"{names[0]} has shape {show(query.shape)}, {names[1]} {show(key.shape)}, {names[2]} "
            f"{show(value.shape)}: they must have the same number of axes"
        )
    spots = [_length_batch(t, batch_first) for t in (query, key, value)]
    for (_, batch), who in zip(spots[1:], names[1:], strict=True):
        if (
            batch is not None
            and spots[0][1] is not None
            and same(entry_size(spots[0][1]), entry_size(batch)) is False
        ):
            axis = 0 if batch_first else 1
            raise ShapeError(
                f"the batch, axis {axis}, is {spots[0][1]} in {names[0]} and {batch} in {who}",
                hint=None if batch_first else "batch_first=False takes (seq, batch, embed)",
            )
    if same(entry_size(spots[1][0]), entry_size(spots[2][0])) is False:
        raise ShapeError(f"the sequence is {spots[1][0]} in {names[1]} and {spots[2][0]} in {names[2]}")


def _check_padding(padding: Any, parameter: str, key: Tensor, batch_first: Any) -> None:
    """``(batch, keys)``, bool or floating.

    Raises:
        ShapeError: it is something else.
    """
    if not isinstance(padding, Tensor):
        return
    _check_mask_dtype(padding, parameter)
    if padding.rank is None:
        return
    length, batch = _length_batch(key, batch_first)
    wanted = (length,) if batch is None else (batch, length)
    if not _may_be(padding.shape, wanted):
        turned = batch_first is False and padding.shape == (length, batch)
        raise ShapeError(
            f"{name(padding, parameter)} has shape {show(padding.shape)}, wanted {show(wanted)}",
            hint="batch_first=False takes (seq, batch, embed)" if turned else None,
        )


def _check_scores_mask(
    mask: Any, parameter: str, query: Tensor, key: Tensor, heads: Any, batch_first: Any
) -> None:
    """``(queries, keys)``, or one for each head of each sequence; bool or floating.

    Raises:
        ShapeError: it is something else.
    """
    if not isinstance(mask, Tensor):
        return
    _check_mask_dtype(mask, parameter)
    if mask.rank is None:
        return
    (length, batch), (extent, _) = _length_batch(query, batch_first), _length_batch(key, batch_first)
    wanted: tuple[Entry, ...] = (length, extent)
    if len(mask.shape) == 3:
        count = entry_size(1 if batch is None else batch)
        # where nothing is trained, one mask for each sequence is taken as well
        each = unknown() if same(entry_size(mask.shape[0]), count) is True else count * heads
        wanted = (each if is_size(heads) else unknown(), *wanted)
    if not _may_be(mask.shape, wanted):
        raise ShapeError(
            f"{name(mask, parameter)} has shape {show(mask.shape)}, wanted {show(wanted)}: "
            f"{'(batch * heads, queries, keys)' if len(wanted) == 3 else '(queries, keys)'}"
        )


def _check_mask_dtype(mask: Tensor, parameter: str) -> None:
    who = name(mask, parameter)
    want(mask, FLOATING | dtypes.BOOL, parameter, "a mask of bool or floating dtype", f"use {who}.bool()")


def _may_be(shape: tuple[Entry, ...], wanted: tuple[Entry, ...]) -> bool:
    return len(shape) == len(wanted) and not any(
        same(entry_size(x), entry_size(y)) is False for x, y in zip(shape, wanted, strict=True)
    )


# --- Transformer layers ------------------------------------------------------------------------


@layer(
    "torch.nn.TransformerEncoderLayer",
    sample="4, 2 -> F:s b 4 | 4, 2, 8, batch_first=True -> F:b s 4 | "
    "d_model=4, nhead=2, batch_first=True -> F:b s 4",
)
def encoder_layer(
    d_model: Any,
    nhead: Any,
    dim_feedforward: Any = 2048,
    *settings: Any,
    batch_first: Any = False,
    **more: Any,
) -> Layer:
    _heads_divide(d_model, nhead, "d_model", "nhead")

    def forward(
        src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: Any = False
    ) -> Tensor:
        _sequence(src, "src", d_model, "d_model", batch_first)
        if src.rank is not None and isinstance(batch_first, bool):
            _check_padding(src_key_padding_mask, "src_key_padding_mask", src, batch_first)
            _check_scores_mask(src_mask, "src_mask", src, src, nhead, batch_first)
        return src.of(src.shape, want(src, FLOATING, "src", "a floating dtype"))

    return Layer(forward)


@layer(
    "torch.nn.TransformerDecoderLayer",
    sample="4, 2 -> F:s b 4, F:t b 4 | 4, 2, 8, batch_first=True -> F:b s 4, F:b t 4",
)
def decoder_layer(
    d_model: Any,
    nhead: Any,
    dim_feedforward: Any = 2048,
    *settings: Any,
    batch_first: Any = False,
    **more: Any,
) -> Layer:
    _heads_divide(d_model, nhead, "d_model", "nhead")

    def forward(
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: Any = None,
        memory_is_causal: Any = False,
    ) -> Tensor:
        _sequence(tgt, "tgt", d_model, "d_model", batch_first)
        _sequence(memory, "memory", d_model, "d_model", batch_first)
        if tgt.rank is not None and memory.rank is not None and isinstance(batch_first, bool):
            _same_batch(
                tgt.named(name(tgt, "tgt")), memory.named(name(memory, "memory")), memory, batch_first
            )
            _check_padding(tgt_key_padding_mask, "tgt_key_padding_mask", tgt, batch_first)
            _check_padding(memory_key_padding_mask, "memory_key_padding_mask", memory, batch_first)
            _check_scores_mask(tgt_mask, "tgt_mask", tgt, tgt, nhead, batch_first)
            _check_scores_mask(memory_mask, "memory_mask", tgt, memory, nhead, batch_first)
        mask = common_dtype((tgt, "tgt"), (memory, "memory"))
        return tgt.of(tgt.shape, mask & FLOATING or mask)

    return Layer(forward)


@layer(
    "torch.nn.Transformer",
    sample="4, 2, 1, 1, 8 -> F:s b 4, F:t b 4 | 4, 2, 1, 1, 8, batch_first=True -> F:b s 4, F:b t 4",
)
def transformer(
    d_model: Any = 512,
    nhead: Any = 8,
    num_encoder_layers: Any = 6,
    num_decoder_layers: Any = 6,
    dim_feedforward: Any = 2048,
    *settings: Any,
    batch_first: Any = False,
    **more: Any,
) -> Layer:
    encoder = encoder_layer(d_model, nhead, batch_first=batch_first).forward
    decoder = decoder_layer(d_model, nhead, batch_first=batch_first).forward

    def forward(
        src: Any,
        tgt: Any,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        src_is_causal: Any = None,
        tgt_is_causal: Any = None,
        memory_is_causal: Any = False,
    ) -> Any:
        memory = encoder(src, src_mask, src_key_padding_mask).named(name(src, "src"))
        return decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)

    return Layer(forward, {"generate_square_subsequent_mask": generate_square_subsequent_mask})


def _inner(layer: Any) -> Function:
    if not isinstance(layer, Layer):
        raise Undecided
    return layer.forward


@layer("torch.nn.TransformerEncoder", sample="skip")
def encoder_stack(
    encoder_layer: Any,
    num_layers: Any,
    norm: Any = None,
    enable_nested_tensor: Any = True,
    mask_check: Any = True,
) -> Layer:
    """Several copies of one layer; what it keeps of the shape, the stack keeps."""
    inner = _inner(encoder_layer)

    def forward(src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: Any = None) -> Any:
        named = mask.named(name(mask, "mask")) if isinstance(mask, Tensor) else mask
        return inner(src, named, src_key_padding_mask)

    return Layer(forward)


@layer("torch.nn.TransformerDecoder", sample="skip")
def decoder_stack(decoder_layer: Any, num_layers: Any, norm: Any = None) -> Layer:
    """The same of decoder layers."""
    return Layer(_inner(decoder_layer))


@rule("torch.nn.Transformer.generate_square_subsequent_mask", sample="size:n | 5")
def generate_square_subsequent_mask(sz: Any, device: Any = None, dtype: Any = None) -> Tensor:

    size: Entry = sz if is_size(sz) else unknown()
    return Tensor((size, size), dtype_of(dtype, dtypes.FLOAT32))
