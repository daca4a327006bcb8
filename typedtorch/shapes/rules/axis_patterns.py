"""Axis signatures: operands matched with patterns of letters, rules in one line."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import ANY
from typedtorch.shapes.equality import same
from typedtorch.shapes.rule import RULES, enter_in, name
from typedtorch.shapes.rules.forms import Function, need
from typedtorch.shapes.rules.layout import fresh
from typedtorch.shapes.rules.promotion import OTHER, common_dtype, dtype_of, mask_of
from typedtorch.shapes.size import Size, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    Entry,
    Pack,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    better,
    broadcast,
    pack_index,
    show,
)


def signature(
    call: str,
    axes: str,
    *aliases: str,
    dtype: int | None = None,
    allowed: int = ANY,
    flops: str | None = None,
    sample: str = "",
) -> None:
    """A rule in one line: ``signature("torch.bmm(input, mat2)", "b m k, b k n -> b m n")``.

    Operands share one dtype, the result has it too unless ``dtype`` says otherwise, or a call does by
    ``out_dtype``.  ``flops`` is a product of the axes: ``"2 b m k n"``.  ``...`` stands for the same leading
    axes everywhere.
    """
    matched = re.fullmatch(r"([\w.]+)\(([^)]*)\)", call)
    assert matched is not None, call
    public, parameters = matched[1], [p.strip() for p in matched[2].split(",")]
    left, _, right = axes.partition("->")
    patterns = [p.split() for p in left.split(",")]
    results = [p.split() for p in right.split(",")]

    def function(*args: Any, **kwargs: Any) -> Any:
        values = _bind(parameters, args, kwargs)
        operands = [(need(values[p]), p) for p in parameters]
        for tensor, parameter in operands:
            if not mask_of(tensor) & (allowed | OTHER):
                raise ShapeError(
                    f"{name(tensor, parameter)} is {dtypes.show(mask_of(tensor))}, "
                    f"wanted {dtypes.show(allowed)}",
                    "dtype",
                )
        mask = common_dtype(*operands)
        bound = match_axes(operands, patterns)
        kind = dtype_of(values.get("out_dtype"), mask if dtype is None else dtype)
        outs = [fresh(operands[0][0], fill(p, bound), kind) for p in results]
        return outs[0] if len(outs) == 1 else tuple(outs)

    count: Function | None = None
    if flops is not None:
        factors = flops.split()

        def count(*args: Any, **kwargs: Any) -> Size:
            values = _bind(parameters, args, kwargs)
            bound = match_axes([(need(values[p]), p) for p in parameters], patterns)
            total: Size = 1
            for factor in factors:
                value = int(factor) if factor.isdigit() else bound[factor]
                assert not isinstance(value, tuple)
                total = total * value
            return total

    function.__doc__ = f"``{axes}``"
    function.__signature__ = _signature_of(parameters)  # type: ignore[attr-defined]  # inspect reads it
    spec = sample or ", ".join("f:" + " ".join(p) for p in patterns)
    enter_in(RULES, (public, *aliases), count, spec)(function)


def _signature_of(parameters: list[str]) -> Any:

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([inspect.Parameter(p, kind) for p in parameters])


def _bind(parameters: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    values = {**dict(zip([*parameters, "out_dtype"], args, strict=False)), **kwargs}
    if len(args) > len(parameters) + 1 or any(p not in values for p in parameters):
        raise Undecided
    return values


def match_axes(
    operands: Sequence[tuple[Tensor, str]], patterns: Sequence[Sequence[str]]
) -> dict[str, Size | tuple[Entry, ...]]:
    """Bind the letters of axis patterns to the operands' sizes.

    Raises:
        ShapeError: wrong rank, or one letter has two sizes; the message names both operands.
    """
    bound: dict[str, Any] = {}
    by: dict[str, tuple[str, int]] = {}
    for (tensor, parameter), pattern in zip(operands, patterns, strict=True):
        who = name(tensor, parameter)
        for letter, entry, place in align(tensor.shape, pattern, who):
            if letter == "...":
                bound[letter] = broadcast(bound.get(letter, ()), entry) if letter in bound else entry
                continue
            if letter not in bound or entry is None:
                bound.setdefault(letter, unknown() if entry is None else entry)
                by.setdefault(letter, (who, place))
                continue
            verdict = same(bound[letter], entry)
            if verdict is False:
                first, at = by[letter]
                raise ShapeError(
                    f"{axis_words(at)} of {first} is {bound[letter]} and {axis_words(place)} of {who} "
                    f"is {entry}"
                )
            bound[letter] = better(bound[letter], entry)
    return bound


def counted_axes(count: int) -> str:
    """``1 axis``, ``2 axes``."""
    return "1 axis" if count == 1 else f"{count} axes"


def align(shape: Shape, pattern: Sequence[str], who: str) -> list[tuple[str, Any, int]]:
    """Pairs of a letter and its size (None where unknown), with the axis counted from the end."""
    wild = "..." in pattern
    letters = [p for p in pattern if p != "..."]
    if pack_index(shape) is not None:
        return _align_unseen(shape, pattern, who)
    if len(shape) != len(letters) and not (wild and len(shape) >= len(letters)):
        least = "at least " if wild else ""
        wanted = f"{least}{counted_axes(len(letters))}: ({', '.join(pattern)})"
        raise ShapeError(f"{who} has shape {show(shape)}, wanted {wanted}")
    if not wild:
        return [(p, e, i - len(shape)) for i, (p, e) in enumerate(zip(pattern, shape, strict=True))]
    at = pattern.index("...")
    after = len(pattern) - at - 1
    pairs: list[tuple[str, Any, int]] = [(p, shape[i], i - len(shape)) for i, p in enumerate(pattern[:at])]
    pairs.append(("...", shape[at : len(shape) - after], 0))
    pairs += [(p, shape[i - after], i - after) for i, p in enumerate(pattern[at + 1 :])]
    return pairs


def _align_unseen(shape: Shape, pattern: Sequence[str], who: str) -> list[tuple[str, Any, int]]:
    """As above, where a run of unknown axes hides some of them."""
    first = pack_index(shape)
    assert first is not None
    last = max(i for i, e in enumerate(shape) if isinstance(e, Pack))
    head, end = shape[:first], shape[last + 1 :]
    letters = [p for p in pattern if p != "..."]
    if "..." not in pattern:
        known = sum(not isinstance(e, Pack) for e in shape)
        if known > len(letters):
            raise ShapeError(
                f"{who} has shape {show(shape)}, wanted {counted_axes(len(letters))}: ({', '.join(pattern)})"
            )
        middle = [None] * (len(letters) - len(head) - len(end))
        if known == len(letters):  # every run is empty
            middle = list[Any](e for e in shape[first : last + 1] if not isinstance(e, Pack))
        entries = [*head, *middle, *end]
        return [(p, e, i - len(letters)) for i, (p, e) in enumerate(zip(letters, entries, strict=True))]
    at = pattern.index("...")
    front, back = pattern[:at], pattern[at + 1 :]
    seen = len(head) >= len(front) and len(end) >= len(back)
    pairs: list[tuple[str, Any, int]] = [
        (p, head[i] if i < len(head) else None, i) for i, p in enumerate(front)
    ]
    run = shape[len(front) : len(shape) - len(back)] if seen else (ANY_AXES,)
    pairs.append(("...", run, 0))
    for i, p in enumerate(back):
        k = len(end) - len(back) + i
        pairs.append((p, end[k] if k >= 0 else None, i - len(back)))
    return pairs


def tail(shape: Shape, count: int) -> list[Size | None]:
    """The last axes, None where a run of unknown axes hides them."""
    found: list[Size | None] = []
    for entry in reversed(shape):
        if isinstance(entry, Pack) or len(found) == count:
            break
        found.insert(0, entry)
    return [None] * (count - len(found)) + found


def lead(shape: Shape, count: int) -> Shape:
    """All but the last axes."""
    return (ANY_AXES,) if None in tail(shape, count) else shape[: len(shape) - count]


def of_rank(tensor: Tensor, parameter: str, *axes: str) -> tuple[Size, ...]:
    """The sizes of a tensor that must have just these axes; unknown ones where they are hidden.

    Raises:
        ShapeError: it has another rank.
    """
    pairs = align(tensor.shape, axes, name(tensor, parameter))
    return tuple(unknown() if entry is None else entry for _, entry, _ in pairs)


def fill(pattern: Sequence[str], bound: dict[str, Any]) -> Shape:
    """The shape of a pattern whose letters are bound; digits stand for themselves."""
    out: list[Entry] = []
    for letter in pattern:
        if letter == "...":
            out.extend(bound[letter])
        else:
            out.append(int(letter) if letter.isdigit() else bound[letter])
    return tuple(out)


_ORDINALS = {-1: "the last axis", -2: "the last but one axis", 0: "the first axis", 1: "the second axis"}


def axis_words(place: int) -> str:
    """What an axis is called in a message."""
    return _ORDINALS.get(place, f"axis {place}")


def aliases(of: str, *names: str) -> None:
    """More public names for a rule in the table."""
    row = RULES[of]
    enter_in(RULES, names, row.flops, row.sample)(row.function)
