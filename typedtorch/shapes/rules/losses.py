"""Losses, as functions and modules: what a target's shape and dtype must be."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import COMPLEX, FLOATING, INT64, INTEGRAL, UINT8
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import name
from typedtorch.shapes.rules.forms import broadcast_operands, need
from typedtorch.shapes.rules.loss_forms import (
    PAIRS,
    check_alike,
    floating_pair,
    loss,
    pair_loss,
    reduced_loss,
)
from typedtorch.shapes.rules.promotion import can_cast, common_dtype, mask_of, to_real, want
from typedtorch.shapes.rules.written import called
from typedtorch.shapes.size import product
from typedtorch.shapes.tensor import (
    UNKNOWN,
    Pack,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    entry_size,
    numel,
    pack_index,
    same_shape,
    show,
)

# --- classes -----------------------------------------------------------------------------------


def _class_axis(input: Tensor) -> tuple[Any, Shape]:
    """The number of classes, axis 1 (or 0 without a batch), and the shape without it."""
    if not input.shape:
        raise ShapeError(f"{name(input, 'input')} has no axes, wanted (batch, classes, ...)")
    if input.rank is None:
        if pack_index(input.shape[:2]) is None and len(input.shape) > 2:
            return input.shape[1], (input.shape[0], *input.shape[2:])
        raise Undecided
    place = 0 if len(input.shape) == 1 else 1
    return input.shape[place], (*input.shape[:place], *input.shape[place + 1 :])


def _check_target(input: Tensor, target: Tensor, wanted: Shape) -> None:
    """Class indices have the shape of the input without its axis of classes."""
    if same_shape(target.shape, wanted) is not False or (wanted == () and target.shape == (1,)):
        return
    given, who = name(target, "target"), name(input, "input")
    raise ShapeError(
        f"{given} has shape {show(target.shape)}, wanted {show(wanted)}: {who} is {show(input.shape)} with "
        "the classes in axis 1",
        hint=_target_hint(input, target, wanted, who, given),
    )


def _target_hint(input: Tensor, target: Tensor, wanted: Shape, who: str, given: str) -> str | None:
    if target.rank is None or input.rank is None:
        return None
    for i, size in enumerate(target.shape):
        if size == 1 and same_shape((*target.shape[:i], *target.shape[i + 1 :]), wanted):
            return f"{given}.squeeze({i})"
    if target.rank > 1 and len(wanted) == 1 and same(numel(target.shape), entry_size(wanted[0])):
        return f"{given}.flatten() has one class for each row of {who}"
    if len(input.shape) >= 3 and same_shape(target.shape, input.shape[:-1]):
        return f"the classes must be axis 1: {who}.movedim(-1, 1), or flatten the axes before them in both"
    if target.rank == input.rank and mask_of(target) & FLOATING:
        return f"class probabilities have the shape and the dtype of {who}"
    return None


def _check_weight(weight: Any, classes: Any, mask: int) -> None:
    if isinstance(weight, Tensor) and weight.rank is not None:
        count = product(weight.sizes())  # their number is all that is looked at
        wrong = not isinstance(classes, Pack) and same(count, classes) is False
        if wrong:
            raise ShapeError(
                f"{name(weight, 'weight')} has shape {show(weight.shape)}, wanted ({classes},), one "
                "for each class"
            )
        if not mask_of(weight) & mask:
            raise ShapeError(
                f"{name(weight, 'weight')} is {dtypes.show(mask_of(weight))} and the input "
                f"{dtypes.show(mask)}",
                "dtype",
            )


_CLASSES = (
    "F:b v, I:b | F:b v t, I:b t | F:v, I: | F:b v h w, I:b h w | "
    "F:b v, I:b, reduction='none' | F:b v, I:b, reduction='sum'"
)


@loss(
    "cross_entropy",
    sample=_CLASSES
    + (
        " | F:b v, F:b v | F:b v, I:b, F:v | F:b v, I:b, label_smoothing=0.1 | "
        "F:b v t, F:b v t, reduction='none'"
    ),
)
def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: Any = -100,
    reduction: Any = "mean",
    label_smoothing: Any = 0.0,
) -> Tensor:
    """Class indices ``(b, ...)``, or probabilities ``(b, classes, ...)``."""
    if input is UNKNOWN and isinstance(target, Tensor) and not mask_of(target) & FLOATING:
        return reduced_loss(
            target, target.shape, reduction, FLOATING
        )  # class indices have the result's shape
    hint = f"the first argument holds the logits{_logits_of(input)}"
    mask = want(need(input), FLOATING, "input", "a floating dtype", hint)
    kinds = mask_of(need(target))
    classes, wanted = _class_axis(input)
    same_as_input = same_shape(input.shape, target.shape)
    if kinds & FLOATING and same_as_input is not False:
        if kinds & ~FLOATING:
            return reduced_loss(input, wanted, reduction, mask)
        _check_weight(weight, classes, FLOATING)
        mixed = kinds | mask | (mask_of(weight) if isinstance(weight, Tensor) else 0)
        if mixed != mask and not size_average:
            return reduced_loss(input, wanted, reduction, mixed & FLOATING)
        return reduced_loss(input, wanted, reduction, dtypes.promote(kinds, mask))
    _check_indices(target, same_as_input, wanted, input)
    _check_target(input, target, wanted)
    _check_weight(weight, classes, mask)
    return reduced_loss(input, wanted, reduction, mask)


def _logits_of(input: Any) -> str:
    """Integers as logits: those whose ``argmax`` they are, and what has no logits is cast."""
    who = name(input, "input")
    whole, chosen, rest = who.rpartition(".argmax(")
    if chosen and ")" not in rest[:-1]:
        return f": {whole}"
    return f": {called(who)}.float()"


def _check_indices(target: Tensor, same_as_input: bool | None, wanted: Shape, input: Tensor) -> None:
    who = name(target, "target")
    allowed = INT64 | UINT8 if input.rank in (None, 1, 2) else INT64
    if not mask_of(target) & allowed:
        if mask_of(target) & FLOATING and same_as_input is False:
            fits = same_shape(target.shape, wanted) is not False
            raise ShapeError(
                f"{who} is {dtypes.show(mask_of(target))} of shape {show(target.shape)}: class "
                    f"indices are int64 of shape {show(wanted)}",
                "dtype", f"use {who}.long() for class indices" if fits else None,
            )  # fmt: skip
        raise ShapeError(
            f"{who} is {dtypes.show(mask_of(target))}, wanted int64 class indices",
            "dtype",
            f"use {who}.long()",
        )


@loss("nll_loss", sample=_CLASSES)
def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: Any = -100,
    reduction: Any = "mean",
) -> Tensor:
    mask = want(need(input), FLOATING, "input", "a floating dtype: log-probabilities")
    classes, wanted = _class_axis(input)
    allowed = INT64 | UINT8 if input.rank in (None, 1, 2) else INT64
    want(need(target), allowed, "target", "int64 class indices", f"use {name(target, 'target')}.long()")
    _check_target(input, target, wanted)
    _check_weight(weight, classes, mask)
    return reduced_loss(input, wanted, reduction, mask)


# --- element by element ------------------------------------------------------------------------


@loss("mse_loss", "huber_loss", "smooth_l1_loss", sample=PAIRS)
def mse_loss(
    input: Any, target: Any, reduction: Any = "mean", delta: Any = 1.0, weight: Any = None, beta: Any = 1.0
) -> Tensor:
    # releases differ in which of two dtypes comes out
    return pair_loss(input, target, reduction, floating_pair(input, target) | mask_of(input) & FLOATING)


@loss("l1_loss", sample=PAIRS)
def l1_loss(input: Any, target: Any, reduction: Any = "mean", weight: Any = None) -> Tensor:
    if reduction != "mean" and not (mask_of(need(input)) | mask_of(need(target))) & ~INTEGRAL:
        raise Undecided  # integers are not averaged
    return pair_loss(input, target, reduction, to_real(floating_pair(input, target)))


@loss("binary_cross_entropy", sample=PAIRS)
def binary_cross_entropy(input: Any, target: Any, weight: Any = None, reduction: Any = "mean") -> Tensor:
    check_alike(input, target, "binary_cross_entropy")
    hint = f"cast it: {name(target, 'target')}.float()"
    mask = want(need(input), FLOATING, "input", "a floating dtype: probabilities")
    want(need(target), FLOATING, "target", f"{dtypes.show(mask)}, as the input", hint)
    common_dtype((input, "input"), (target, "target"), what="binary_cross_entropy")
    return reduced_loss(input, input.shape, reduction, mask)


@loss("binary_cross_entropy_with_logits", sample=PAIRS + " | F:b c, F:b c, pos_weight=F:c")
def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, reduction: Any = "mean", pos_weight: Any = None
) -> Tensor:
    check_alike(input, target, "binary_cross_entropy_with_logits")
    want(
        target, FLOATING | COMPLEX, "target", "a floating dtype", f"cast it: {name(target, 'target')}.float()"
    )
    want(need(input), FLOATING, "input", "a floating dtype")
    # releases differ in which of two dtypes comes out
    mask = (mask_of(input) | mask_of(target)) & FLOATING
    shape = broadcast_operands(
        (input, "input"),
        *((p, n) for p, n in ((weight, "weight"), (pos_weight, "pos_weight")) if isinstance(p, Tensor)),
    )
    return reduced_loss(
        input, shape if pos_weight is not None or weight is not None else input.shape, reduction, mask
    )


@loss(
    "kl_div",
    sample="F:*, F:* | F:b c, F:b c, reduction='batchmean' | F:*, F:*, reduction='none' | "
    "F:*, F:*, log_target=True",
)
def kl_div(input: Any, target: Any, reduction: Any = "mean", log_target: Any = False) -> Tensor:
    mask = floating_pair(input, target, expanded=False)
    return pair_loss(input, target, "mean" if reduction == "batchmean" else reduction, mask)


@loss("soft_margin_loss", sample=PAIRS)
def soft_margin_loss(input: Any, target: Any, reduction: Any = "mean") -> Tensor:
    if not mask_of(need(input)) & (FLOATING | COMPLEX) or not can_cast(mask_of(need(target)), mask_of(input)):
        raise ShapeError(
            f"{name(input, 'input')} is {dtypes.show(mask_of(input))} and {name(target, 'target')} "
            f"{dtypes.show(mask_of(target))}: the loss has the dtype of the first",
            "dtype",
        )
    if same_shape(broadcast_operands((input, "input"), (target, "target")), input.shape) is False:
        raise ShapeError(
            f"{name(target, 'target')} of shape {show(target.shape)} does not broadcast to "
            f"{name(input, 'input')}, {show(input.shape)}"
        )
    return pair_loss(input, target, reduction, floating_pair(input, target) | mask_of(input) & FLOATING)


@loss("hinge_embedding_loss", sample=PAIRS)
def hinge_embedding_loss(input: Any, target: Any, margin: Any = 1.0, reduction: Any = "mean") -> Tensor:
    if not mask_of(need(input)) & FLOATING:
        raise Undecided  # it depends on the reduction and the margin
    return pair_loss(input, target, reduction, mask_of(input))
