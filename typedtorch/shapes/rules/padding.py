"""Padding, as a function and as layers."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes import taken
from typedtorch.shapes.rule import Layer, layer, name, rule
from typedtorch.shapes.rules.forms import Function, counted, functional, is_size, need
from typedtorch.shapes.rules.promotion import mask_of
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import (
    Entry,
    Pack,
    ShapeError,
    Tensor,
    Undecided,
    entry_size,
    show,
)


@rule(*functional("pad"), sample=(
    "f:... d, (1, 2) | f:... h w, (1, 1, 0, 2) | f:b c W, (2, 1), mode='reflect' | "
        "f:b c H W, (1, 1, 2, 2), mode='replicate' | "
    "f:b c H W, (1, 1, 2, 2), 'circular' | i:a b, (0, 1), value=-1 | f:a D, (-1, -1) | "
        "f:a d, (size:n, 0)"))  # fmt: skip
def pad(input: Any, pad: Any, mode: Any = "constant", value: Any = None) -> Tensor:
    """Amounts in pairs, from the last axis backwards."""
    tensor, who = need(input), name(input, "input")
    if not isinstance(pad, (tuple, list)):
        raise Undecided
    pad = counted(pad)
    if len(pad) % 2:
        raise ShapeError(f"pad={tuple(pad)} has {len(pad)} numbers, wanted pairs")
    axes = len(pad) // 2
    if tensor.rank is not None and axes > len(tensor.shape):
        raise ShapeError(f"pad={tuple(pad)} is for {axes} axes and {who} has shape {show(tensor.shape)}")
    if isinstance(mode, str) and mode != "constant":
        _check_mode(tensor, axes, mode, who, pad)
        if isinstance(value, (int, float)) and value != 0:
            raise ShapeError(f"mode={mode!r} takes no value, got {value}")
    shape: list[Entry] = list(tensor.shape)
    for i in range(axes):
        place = len(shape) - 1 - i
        if place < 0 or isinstance(shape[place], Pack):
            return tensor.of((Pack("..."), *shape[place + 1 :]), mask_of(tensor))
        before, after = (p if is_size(p) else unknown() for p in pad[2 * i : 2 * i + 2])
        made = entry_size(shape[place]) + before + after
        cut = [p for p in (before, after) if isinstance(p, int) and p < 0]
        left = entry_size(shape[place]) + sum(cut) if mode == "constant" else 0
        nothing = made == 0 and axes == 1 and mode in ("reflect", "replicate")
        if nothing or any(isinstance(n, int) and n < 0 for n in (made, left)):
            raise ShapeError(
                f"pad={tuple(pad)} takes away {'all' if nothing else 'more than'} axis {place} of {who} "
                f"has, {shape[place]}"
            )
        taken.pad(entry_size(shape[place]), made)
        shape[place] = made
    return tensor.of(shape, mask_of(tensor))


def _check_mode(tensor: Tensor, axes: int, mode: str, who: str, amounts: Any) -> None:
    if mode not in ("reflect", "replicate", "circular"):
        raise ShapeError(f"mode={mode!r}, wanted 'constant', 'reflect', 'replicate' or 'circular'")
    least = axes + 1
    if tensor.rank is not None and len(tensor.shape) not in (least, least + 1):
        raise ShapeError(
            f"mode={mode!r} with {axes} padded axes needs {least} or {least + 1} axes, {who} has "
            f"shape {show(tensor.shape)}"
        )
    for i in range(axes):
        size = tensor.shape[len(tensor.shape) - 1 - i] if tensor.rank is not None else None
        pair = [p for p in amounts[2 * i : 2 * i + 2] if isinstance(p, int)]
        limit = size if mode == "reflect" else size + 1 if isinstance(size, int) else None
        if isinstance(limit, int) and mode != "replicate" and any(p >= limit for p in pair):
            raise ShapeError(
                f"mode={mode!r}: padding by {max(pair)} needs more than the {size} elements of axis "
                f"-{i + 1} of {who}"
            )


def _pad_layer(axes: int, mode: str) -> Function:
    def make(padding: Any, value: Any = 0.0) -> Layer:
        amounts = [padding] * (2 * axes) if is_size(padding) else list(padding)
        if len(amounts) != 2 * axes:
            raise Undecided

        def forward(input: Any) -> Tensor:
            return pad(input, amounts, mode)

        return Layer(forward)

    return make


for _axes in (1, 2, 3):
    _space = {1: "W", 2: "H W", 3: "D H W"}[_axes]
    for _class, _mode in (
        ("Constant", "constant"),
        ("Zero", "constant"),
        ("Reflection", "reflect"),
        ("Replication", "replicate"),
        ("Circular", "circular"),
    ):
        _settings = "1, 0.5" if _class == "Constant" else "1"
        layer(
            f"torch.nn.{_class}Pad{_axes}d",
            sample=f"{_settings} -> F:b c {_space} | "
            f"({', '.join(['1', '2'] * _axes)}){', 0.0' if _class == 'Constant' else ''} "
            f"-> F:c {_space}",
        )(_pad_layer(_axes, _mode))
