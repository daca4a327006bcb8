"""Losses on pairs, triples and several labels."""

from __future__ import annotations

import functools
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import ANY, BIT, FLOATING, INT64
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import name, rule
from typedtorch.shapes.rules.forms import broadcast_operands, functional, need, reduced
from typedtorch.shapes.rules.loss_forms import check_alike, floating_pair, loss, reduced_loss
from typedtorch.shapes.rules.promotion import mask_of, result_type, to_real, want
from typedtorch.shapes.rules.written import called
from typedtorch.shapes.size import Size
from typedtorch.shapes.tensor import ShapeError, Tensor, Undecided, entry_size, numel, show

# --- pairs and triples -------------------------------------------------------------------------


@loss(
    "cosine_embedding_loss", sample="F:b d, F:b d, F:b | F:b d, F:b d, F:b, reduction='none' | F:d, F:d, F:"
)
def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: Any = 0, reduction: Any = "mean"
) -> Tensor:
    lengths = (need(t).of((1,), dtypes.to_float(mask_of(t))) for t in (input1, input2))
    need(target)
    mask = result_type(*lengths)  # of the cosine; the target only chooses
    if input1.rank is None or input2.rank is None or target.rank is None:
        raise Undecided
    if (
        len(target.shape) > 1
        or len(input1.shape) != len(target.shape) + 1
        or len(input2.shape) != len(input1.shape)
    ):
        raise ShapeError(
            f"shapes {show(input1.shape)}, {show(input2.shape)} and target {show(target.shape)}, "
            "wanted (b, d), (b, d) and (b,)"
        )
    shape = broadcast_operands((input1, "input1"), (input2, "input2"))
    made = broadcast_operands((input1.of(shape[:-1]), "the inputs"), (target, "target"))
    return reduced_loss(input1, made, reduction, mask)


@loss("margin_ranking_loss", sample="F:b, F:b, F:b | F:b d, F:b d, F:b d, reduction='none'")
def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: Any = 0, reduction: Any = "mean"
) -> Tensor:
    operands = ((need(input1), "input1"), (need(input2), "input2"), (need(target), "target"))
    ranks = {t.rank for t, _ in operands}
    if None not in ranks and len(ranks) > 1:
        raise ShapeError(
            f"shapes {show(input1.shape)}, {show(input2.shape)} and target {show(target.shape)}: they "
            "must have the same number of axes"
        )
    mask = dtypes.to_float(result_type(input1, input2, target))  # the margin is a float
    return reduced_loss(input1, broadcast_operands(*operands), reduction, mask)


@loss(
    "triplet_margin_loss",
    sample="F:b d, F:b d, F:b d | F:b d, F:b d, F:b d, reduction='none' | F:d, F:d, F:d",
)
def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: Any = 1.0,
    p: Any = 2,
    eps: Any = 1e-06,
    swap: Any = False,
    reduction: Any = "mean",
) -> Tensor:
    operands = ((need(anchor), "anchor"), (need(positive), "positive"), (need(negative), "negative"))
    ranks = {t.rank for t, _ in operands}
    if None not in ranks and len(ranks) > 1:
        raise ShapeError(
            f"shapes {', '.join(show(t.shape) for t, _ in operands)}: they must have the same number of axes"
        )
    first = reduced(broadcast_operands(*operands[:2]), -1, False, "the operands")
    second = reduced(broadcast_operands(operands[0], operands[2]), -1, False, "the operands")
    made = broadcast_operands(
        (anchor.of(first), "the first distance"), (anchor.of(second), "the second distance")
    )
    distances = (
        (anchor, positive),
        (anchor, negative),
        *([(positive, negative)] if swap is not False else []),
    )
    masks = (to_real(dtypes.to_float(result_type(*pair))) for pair in distances)
    mask = functools.reduce(dtypes.promote, masks)
    return reduced_loss(anchor, made, reduction, mask)


@rule(
    *functional("triplet_margin_with_distance_loss"),
    sample="F:b d, F:b d, F:b d | F:b d, F:b d, F:b d, reduction='none'",
)
def triplet_margin_with_distance_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    *,
    distance_function: Any = None,
    margin: Any = 1.0,
    swap: Any = False,
    reduction: Any = "mean",
) -> Tensor:
    if distance_function is not None:
        if reduction not in ("mean", "sum"):
            raise Undecided
        return reduced_loss(need(anchor), (), reduction, ANY)  # of whatever the distances are
    made: Tensor = triplet_margin_loss(anchor, positive, negative, reduction=reduction)
    return made


# --- several labels ----------------------------------------------------------------------------


@loss("multi_margin_loss", sample="F:b c, I:b | F:c, I: | F:b c, I:b, reduction='none'")
def multi_margin_loss(
    input: Any, target: Any, p: Any = 1, margin: Any = 1.0, weight: Any = None, reduction: Any = "mean"
) -> Tensor:
    mask = want(need(input), FLOATING, "input", "a floating dtype")
    want(need(target), INT64, "target", "int64 class indices", f"use {name(target, 'target')}.long()")
    if (
        input.rank is None
        or target.rank is None
        or not input.shape
        or (len(target.shape) == 0 and input.shape[:-1] not in ((), (1,)))
    ):
        raise Undecided
    if isinstance(weight, Tensor) and weight.rank not in (None, 1):
        raise ShapeError(f"{name(weight, 'weight')} has shape {show(weight.shape)}, wanted one axis")
    if input.shape[:-1] == (1,) and target.shape == ():
        return reduced_loss(input, (), reduction, mask)
    if len(input.shape) not in (1, 2) or len(target.shape) > 1:
        raise ShapeError(
            f"{name(input, 'input')} has shape {show(input.shape)} and {name(target, 'target')} "
            f"{show(target.shape)}, wanted (b, classes) and (b,)"
        )
    count: Size = entry_size(input.shape[0]) if len(input.shape) == 2 else 1
    given: Size = entry_size(target.shape[0]) if target.shape else 1
    if same(count, given) is False:
        raise ShapeError(
            f"{name(input, 'input')} has {count} rows and {name(target, 'target')} {given} classes"
        )
    return reduced_loss(input, target.shape if len(input.shape) == 1 else (count,), reduction, mask)


@loss("multilabel_margin_loss", sample="F:b c, I:b c | F:c, I:c | F:b c, I:b c, reduction='none'")
def multilabel_margin_loss(input: Any, target: Any, reduction: Any = "mean") -> Tensor:
    mask = want(need(input), FLOATING, "input", "a floating dtype")
    want(need(target), INT64, "target", "int64 class indices", f"use {name(target, 'target')}.long()")
    if input.rank is None or len(input.shape) == 0:
        raise Undecided
    if len(input.shape) > 2:
        raise ShapeError(f"{name(input, 'input')} has shape {show(input.shape)}, wanted (b, classes)")
    if not (input.shape == (1,) and target.shape == ()):
        check_alike(input, target, "multilabel_margin_loss")
    return reduced_loss(input, input.shape[:-1], reduction, mask)


@loss("multilabel_soft_margin_loss", sample="F:b c, F:b c | F:b c, F:b c, reduction='none'")
def multilabel_soft_margin_loss(
    input: Any, target: Any, weight: Any = None, reduction: Any = "mean"
) -> Tensor:
    mask = floating_pair(input, target)
    if weight is not None:
        mask = result_type(input, target, need(weight))
    shape = broadcast_operands((input, "input"), (target, "target"))
    if weight is not None:
        shape = broadcast_operands((input.of(shape), "input"), (weight, "weight"))
    place = -1 if input.rank is None else len(input.shape) - 1
    return reduced_loss(input, reduced(shape, place, False), reduction, mask)


@rule(*functional("ctc_loss"), sample=(
    "F:9 b 7, I:b 3, I:b, I:b | "
    "F:9 b 7, I:b 3, I:b, I:b, reduction='none' | F:9 7, I:3, I:, I:"))  # fmt: skip
def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: Any = 0,
    reduction: Any = "mean",
    zero_infinity: Any = False,
) -> Tensor:
    """``(time, batch, classes)`` with one target sequence for each of the batch."""
    mask = want(need(log_probs), FLOATING, "log_probs", "a floating dtype")
    if not isinstance(reduction, str):
        raise Undecided
    if log_probs.rank is None or not isinstance(targets, Tensor):
        raise Undecided
    if len(log_probs.shape) == 2:  # one sequence
        lengths = [t for t in (input_lengths, target_lengths) if isinstance(t, Tensor)]
        if targets.rank != 1 or any(t.rank != 0 for t in lengths) or len(lengths) < 2:
            raise Undecided
        return reduced_loss(log_probs, (), reduction, mask)
    if len(log_probs.shape) < 2:
        raise Undecided
    if len(log_probs.shape) > 3:
        raise ShapeError(
            f"{name(log_probs, 'log_probs')} has shape {show(log_probs.shape)}, wanted (time, batch, classes)"
        )
    batch = entry_size(log_probs.shape[1])
    for tensor, parameter in ((input_lengths, "input_lengths"), (target_lengths, "target_lengths")):
        if not isinstance(tensor, Tensor):
            continue  # a tuple of numbers
        want(tensor, dtypes.INTEGER, parameter, "integers")
        if tensor.rank is None or not tensor.shape:
            raise Undecided
        if same(numel(tensor.shape), batch) is False:  # they are counted, whatever their axes
            raise _lengths_of_another_batch(tensor, parameter, log_probs, targets)
    if targets.rank not in (1, 2) or not mask_of(targets) & (INT64 | BIT["int32"]):
        raise Undecided
    if targets.rank == 2 and same(entry_size(targets.shape[0]), batch) is False:
        raise ShapeError(
            f"{name(targets, 'targets')} has shape {show(targets.shape)}, wanted ({batch}, length)"
        )
    return reduced_loss(log_probs, (batch,), reduction, mask)


def _lengths_of_another_batch(
    tensor: Tensor, parameter: str, log_probs: Tensor, targets: Tensor
) -> ShapeError:
    """One length for each of the batch, which is axis 1 of what is scored."""
    who, batch = name(log_probs, "log_probs"), entry_size(log_probs.shape[1])
    text = f"{name(tensor, parameter)} has shape {show(tensor.shape)}, wanted ({batch},)"
    if len(tensor.shape) > 1:
        swapped = parameter == "input_lengths" and targets.rank == 1
        return ShapeError(text, hint="arguments 2 and 3 fit the other way round" if swapped else None)
    first = same(entry_size(tensor.shape[0]), entry_size(log_probs.shape[0]))
    text += f": {who} of shape {show(log_probs.shape)} is read as (time, batch, classes)"
    return ShapeError(text, hint=f"{called(who)}.transpose(0, 1)" if first else None)
