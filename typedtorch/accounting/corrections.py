"""Where torch's shape functions describe other storages than its CPU kernels allocate.

Each row was found by comparing the stream on tensors without memory with the stream on real ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import torch
from jaxtyping import Shaped
from torch import Tensor

from typedtorch.accounting import sparse
from typedtorch.accounting.schema import argument_of
from typedtorch.shapes.size import Size

Correction = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]

_PAGE = 4096
_HALF = (torch.bfloat16, torch.float16)


def corrected(name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the operator, through its correction if it has one."""
    correction = CORRECTIONS.get(name)
    return func(*args, **kwargs) if correction is None else correction(func, args, kwargs)


def _statistics(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Norms of half-precision data with float32 weights keep float32 statistics."""
    out, *statistics = func(*args, **kwargs)
    data = args[0]
    others = [a for a in args[1:] if isinstance(a, Tensor)]
    mixed = data.device.type == "cpu" and data.dtype in _HALF
    if not mixed or not any(o.dtype == torch.float32 for o in others):
        return (out, *statistics)
    return (out, *(torch.empty_like(s, dtype=torch.float32) for s in statistics))


def _group_norm_backward(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The gradient of half-precision data is in half precision, whatever the statistics are in."""
    gradient, *others = func(*args, **kwargs)
    data = args[1]
    if gradient is not None and gradient.dtype != data.dtype:
        gradient = torch.empty_like(gradient, dtype=data.dtype)
    return (gradient, *others)


def _leading(width: Size, bytes_each: int, at: int) -> Size:
    """oneDNN's leading dimension: whole cache lines, and one more where that divides by 256."""
    line = 64 // bytes_each
    pad = line if -(-at // line) * line % 256 == 0 else 0
    return (width + line - 1) // line * line + pad


def lstm_workspace(
    steps: Size,
    batch: Size,
    d_in: Size,
    hidden: Size,
    dtype: torch.dtype,
    *,
    at: tuple[int, int] | None = None,
) -> Size:
    """Bytes oneDNN keeps of one LSTM layer for its backward, as measured on x86 (torch 2.13).

    Gates and outputs of every step; inputs, states, their gradients and cells of every step and of the
    one before the first, for the layer below and the layer itself; each rounded up to whole pages.
    ``at`` are the numbers behind ``d_in`` and ``hidden`` where these are formulas: they settle which is
    the larger and what is padded.

    >>> lstm_workspace(5, 2, 8, 16, torch.float32), lstm_workspace(50, 32, 1024, 256, torch.float32) // 4096
    (28672, 13627)
    """
    size = dtype.itemsize
    inputs, states = at if at is not None else (int(d_in), int(hidden))  # type: ignore[arg-type]  # numbers without at=
    widest, most = (d_in, inputs) if inputs > states else (hidden, states)
    now, ever = steps * batch, 2 * (steps + 1) * batch
    pieces = [
        now * _leading(4 * hidden, size, 4 * states) * size,
        now * _leading(hidden, size, states) * size,
        ever * _leading(widest, size, most) * size,
        ever * _leading(widest, 4, most) * 4,
        ever * _leading(widest, 4, most) * 4,
        ever * hidden * 4,
        ever * hidden * size,
    ]
    total: Size = 0
    for piece in pieces:
        total = total + (piece + _PAGE - 1) // _PAGE * _PAGE
    return total


def _lstm(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """In training the layer also returns a workspace, which its shape function leaves empty."""
    output, hidden_state, cell_state, workspace = func(*args, **kwargs)
    data = args[0]
    if data.device.type != "cpu" or not argument_of(func, args, kwargs, "train"):
        return output, hidden_state, cell_state, workspace
    steps, batch, d_in = data.shape
    hidden = argument_of(func, args, kwargs, "hidden_size")
    size = lstm_workspace(steps, batch, d_in, hidden, data.dtype)
    return (
        output,
        hidden_state,
        cell_state,
        torch.empty(cast(int, size), dtype=torch.uint8, device=data.device),
    )


def _lstm_backward(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The two bias gradients are two tensors; the shape function returns one twice."""
    data, w1, w2, b1, b2, *rest = func(*args, **kwargs)
    return (data, w1, w2, b1, torch.empty_like(b2) if b2 is b1 and b2 is not None else b2, *rest)


def _reduced(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A loss that is reduced keeps the storage of the losses of all elements."""
    out = func(*args, **kwargs)
    if argument_of(func, args, kwargs, "reduction") == 0:
        return out
    shape = torch.broadcast_shapes(args[0].shape, args[1].shape)
    return out.new_empty(shape).as_strided((), ())


def _dense(*positions: int, cpu: bool = False) -> Correction:
    """These results are contiguous, whatever the strides of the operands (``cpu``: of the CPU's kernels)."""

    def call(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        out = func(*args, **kwargs)
        if cpu and args[0].device.type != "cpu":
            return out
        if isinstance(out, Tensor):
            return _laid_out(out, torch.contiguous_format)
        dense = [_laid_out(o, torch.contiguous_format) if i in positions else o for i, o in enumerate(out)]
        return tuple(dense)

    return call


def _laid_out(
    tensor: Shaped[Tensor, "*shape"] | None, layout: torch.memory_format
) -> Shaped[Tensor, "*shape"] | None:
    """The tensor if it is laid out so, else one that is."""
    if tensor is None or tensor.is_contiguous(memory_format=layout):
        return tensor
    return torch.empty_like(tensor, memory_format=layout)


def _like_data(
    tensor: Shaped[Tensor, "*shape"] | None, data: Shaped[Tensor, "*data"]
) -> Shaped[Tensor, "*shape"] | None:
    """The channels last where the data has them there, contiguous elsewhere."""
    last = {4: torch.channels_last, 5: torch.channels_last_3d}.get(data.dim(), torch.contiguous_format)
    layout = last if data.is_contiguous(memory_format=last) else torch.contiguous_format
    return _laid_out(tensor, layout) if data.device.type == "cpu" else tensor


def _batch_norm(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    out, *statistics = _statistics(func, args, kwargs)
    return (_like_data(out, args[0]), *statistics)


def _batch_norm_backward(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    gradient, *others = func(*args, **kwargs)
    return (_like_data(gradient, args[1]), *others)


CORRECTIONS: dict[str, Correction] = {
    **sparse.CORRECTIONS,
    **{
        f"aten.{loss}.default": _reduced
        for loss in (
            "mse_loss",
            "smooth_l1_loss",
            "soft_margin_loss",
            "binary_cross_entropy",
        )
    },
    **{f"aten.{loss}_backward.default": _dense(0) for loss in ("mse_loss", "smooth_l1_loss", "huber_loss")},
    "aten._log_softmax_backward_data.default": _dense(0),
    "aten.native_layer_norm_backward.default": _dense(0, 1, 2),
    "aten.log_sigmoid_forward.default": _dense(0, 1, cpu=True),
    "aten.native_layer_norm.default": _statistics,
    "aten.native_group_norm.default": _statistics,
    "aten.native_group_norm_backward.default": _group_norm_backward,
    "aten.native_batch_norm.default": _batch_norm,
    "aten.native_batch_norm_backward.default": _batch_norm_backward,
    "aten.mkldnn_rnn_layer.default": _lstm,
    "aten.mkldnn_rnn_layer_backward.default": _lstm_backward,
}
