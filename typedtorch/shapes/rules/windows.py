"""The arithmetic of sliding windows, shared by convolutions and pools."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typedtorch.shapes.rules.forms import is_size
from typedtorch.shapes.size import Size, is_unknown, unknown
from typedtorch.shapes.tensor import ANY_AXES, Entry, Pack, Shape, ShapeError, Tensor, Undecided, show


def each(value: Any, count: int, what: str) -> list[Any]:
    """One number for each spatial axis.

    Raises:
        ShapeError: another number of them is given.
        Undecided: they are not known.
    """
    if is_size(value):
        return [value] * count
    if isinstance(value, (tuple, list)):
        if len(value) == 1:
            return list(value) * count
        if len(value) != count:
            raise ShapeError(f"{what}={tuple(value)} has {len(value)} numbers, wanted {count}")
        return list(value)
    raise Undecided


def each_or_unknown(value: Any, axes: int, what: str) -> list[Any]:
    """The same, each of them unknown where that many are not known."""
    try:
        return each(value, axes, what)
    except Undecided:
        return [unknown()] * axes


def all_sizes(*values: Any) -> bool:
    """Whether all values are sizes."""
    return all(is_size(v) for v in values)


def window_size(
    size: Size, kernel: Any, stride: Any, padding: Any, dilation: Any, *, ceil: bool = False
) -> Size:
    """``floor((n + 2 p - d (k - 1) - 1) / s) + 1``.

    Raises:
        ShapeError: the window is larger than the padded axis.
    """
    if not all_sizes(kernel, stride, padding, dilation):
        return unknown()
    reach = size + 2 * padding - dilation * (kernel - 1) - 1
    if isinstance(stride, int) and stride <= 0:
        raise ShapeError(f"stride={stride}, wanted at least 1")
    if isinstance(reach, int) and reach < 0 and not ceil:
        raise ShapeError(
            f"a window of {dilation * (kernel - 1) + 1} over an axis of {size} padded by {padding}"
        )
    if isinstance(reach, int) and reach < 0:
        raise Undecided  # ceil_mode: releases differ
    if not ceil:
        return reach // stride + 1
    if isinstance(reach, int) and isinstance(stride, int):
        count: int = -(-reach // stride) + 1
        # the last window must start inside the axis or its left padding
        return count - 1 if (count - 1) * stride >= size + padding else count
    if stride == 1:
        return reach + 1
    return unknown()


def spatial(tensor: Tensor, axes: int, who: str, *, channels: bool = True) -> tuple[Shape, list[Size]]:
    """The leading axes ``(batch, channels)`` or ``(channels,)``, and the spatial ones.

    Raises:
        ShapeError: wrong number of axes.
    """
    least = axes + 1 if channels else axes
    known = sum(not isinstance(e, Pack) for e in tensor.shape)
    if (tensor.rank is not None and len(tensor.shape) not in (least, least + 1)) or known > least + 1:
        wanted = ", ".join(
            [
                "channels",
                *(
                    ["time"]
                    if axes == 1
                    else ["height", "width"]
                    if axes == 2
                    else ["depth", "height", "width"]
                ),
            ]
        )
        raise ShapeError(f"{who} has shape {show(tensor.shape)}, wanted (batch, {wanted}) or ({wanted})")
    entries: list[Entry] = list(tensor.shape)
    sizes: list[Size] = []
    while len(sizes) < axes and entries:
        last = entries.pop()
        if isinstance(last, Pack):
            entries = [ANY_AXES]
            break
        sizes.insert(0, last)
    hidden: list[Size] = [unknown() for _ in range(axes - len(sizes))]
    return tuple(entries), hidden + sizes


def known(sizes: Sequence[Size]) -> bool:
    """Whether none of the sizes is unknown."""
    return not any(is_unknown(s) for s in sizes)
