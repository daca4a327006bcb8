"""Forms that rules are written in: names, pointwise operators, reductions, axis signatures.

Messages speak of the operands; whoever reports them puts the call in front (``x @ w: ...``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import ANY
from typedtorch.shapes.rule import RULES, Rule, _enter, name, warn
from typedtorch.shapes.rules.promotion import OTHER, common_dtype, mask_of
from typedtorch.shapes.size import Poly, Size, atoms, is_unknown, same, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    Entry,
    Pack,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    axis_index,
    better,
    broadcast,
    broadcast_size,
    pack_index,
    show,
)

Function = Callable[..., Any]


def both(*operators: str) -> tuple[str, ...]:
    """The function and the method of each name."""
    return tuple(f"{space}.{o}" for o in operators for space in ("torch", "torch.Tensor"))


def methods(*operators: str) -> tuple[str, ...]:
    return tuple(f"torch.Tensor.{o}" for o in operators)


def functional(*operators: str) -> tuple[str, ...]:
    return tuple(f"torch.nn.functional.{o}" for o in operators)


def under(space: str, words: str) -> tuple[str, ...]:
    """Names of a namespace, from words separated by spaces."""
    return tuple(f"{space}.{word}" for word in words.split())


def need(value: Any) -> Tensor:
    """The value as a tensor.

    Raises:
        Undecided: it is something else.
    """
    if isinstance(value, Tensor):
        return value
    raise Undecided


def is_size(value: Any) -> bool:
    return isinstance(value, (int, Poly)) and not isinstance(value, bool)


def literal(value: Any) -> int:
    """An int whose value is known.

    Raises:
        Undecided: it is not known, or not an int.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise Undecided


def flag(value: Any) -> bool:
    """A bool whose value is known.

    Raises:
        Undecided: it is not.
    """
    if isinstance(value, bool):
        return value
    raise Undecided


# --- broadcasting ------------------------------------------------------------------------------


def broadcast_operands(*operands: tuple[Any, str]) -> Shape:
    """The shape to which tensor operands broadcast; numbers take part as shape ``()``.

    Raises:
        ShapeError: naming the operands, the axis and both sizes.
    """
    tensors = [(o, p) for o, p in operands if isinstance(o, Tensor)]
    result: Shape = ()
    for i, (tensor, parameter) in enumerate(tensors):
        try:
            result = broadcast(result, tensor.shape) if i else tensor.shape
        except ShapeError:
            other = next((t, p) for t, p in tensors[:i] if not _fits(t.shape, tensor.shape))
            raise _mismatch(other, (tensor, parameter)) from None
    if len(tensors) > 1:
        _lint_outer([t for t, _ in tensors], result)
    return result


def _fits(a: Shape, b: Shape) -> bool:
    try:
        broadcast(a, b)
    except ShapeError:
        return False
    return True


def _mismatch(first: tuple[Tensor, str], second: tuple[Tensor, str]) -> ShapeError:
    a, b = first[0].shape, second[0].shape
    place, x, y = next(
        (i, x, y)
        for i, (x, y) in enumerate(zip(reversed(a), reversed(b), strict=False), 1)
        if not (isinstance(x, Pack) or isinstance(y, Pack)) and not _fits((x,), (y,))
    )
    who_a, who_b = name(*first), name(*second)
    return ShapeError(
        f"{show(a)} and {show(b)} do not broadcast: axis -{place} is {x} in {who_a} and {y} in {who_b}",
        hint=_broadcast_hint(first, second),
    )


def _broadcast_hint(first: tuple[Tensor, str], second: tuple[Tensor, str]) -> str | None:
    """Where one shape is the other with an axis taken out, a keepdim or an index is missing."""
    (a, _), (b, _) = first, second
    if pack_index(a.shape) is not None or pack_index(b.shape) is not None:
        return None
    big, small, label = (a, b, name(*second)) if len(a.shape) > len(b.shape) else (b, a, name(*first))
    if len(big.shape) - len(small.shape) == 1:
        for i in range(len(big.shape)):
            if big.shape[:i] + big.shape[i + 1 :] == small.shape:
                back = i - len(big.shape)
                return f"{label} lacks axis {back}: keepdim=True where it was reduced, or unsqueeze({back})"
    if len(a.shape) == len(b.shape) >= 2 and a.shape[-2:] == b.shape[:-3:-1] and a.shape[:-2] == b.shape[:-2]:
        return f"the last two axes of {label} are swapped"
    return None


def _lint_outer(tensors: Sequence[Tensor], result: Shape) -> None:
    """Warn where an axis meets itself by accident: ``(b,)`` with ``(b, 1)`` is ``(b, b)``."""
    if any(t.deliberate for t in tensors) or len({len(t.shape) for t in tensors}) == 1:
        return  # (n, 1) with (1, n): somebody turned the axis on purpose
    for entry in dict.fromkeys(result):
        if isinstance(entry, (int, Pack)) or any(a.kind != "axis" for a in atoms(entry)):
            continue
        times = result.count(entry)
        if times > 1 and all(t.shape.count(entry) < times for t in tensors):
            shapes = " and ".join(show(t.shape) for t in tensors)
            warn(
                "broadcast",
                f"{shapes} broadcast to {show(result)}: every {entry} meets every other {entry}",
                "give both the same axes, or write the axis of size 1 as [:, None] where this is meant",
            )
            return


def pointwise(*operands: tuple[Any, str], dtype: int) -> Tensor:
    """The result of an operator that works element by element."""
    tensors = [o for o, _ in operands if isinstance(o, Tensor)]
    for operand, _ in operands:
        if operand is UNKNOWN or isinstance(operand, (list, tuple)):
            raise Undecided
    shape = broadcast_operands(*operands)
    return Tensor(
        shape,
        dtype,
        deliberate=any(t.deliberate for t in tensors),
        layout=tensors[0].layout if len(tensors) == 1 else None,
        library=tensors[0].library,
    )


# --- reductions --------------------------------------------------------------------------------


def reduced(shape: Shape, dim: Any, keepdim: Any, what: str = "the tensor") -> Shape:
    """A shape without (or with 1 in place of) the reduced axes; None and () reduce all."""
    if keepdim is UNKNOWN:
        return () if not shape else (ANY_AXES,)
    keepdim = bool(keepdim)
    if dim is UNKNOWN:
        return _all_unknown(shape) if keepdim else (() if not shape else (ANY_AXES,))
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        if not keepdim:
            return ()
        return (
            tuple(e if isinstance(e, Pack) else 1 for e in shape)
            if pack_index(shape) is None
            else (ANY_AXES,)
        )
    dims = list(dim) if isinstance(dim, (tuple, list)) else [dim]
    if any(isinstance(d, Poly) or d is UNKNOWN for d in dims):
        if pack_index(shape) is not None:
            return (ANY_AXES,)
        return (
            _all_unknown(shape)
            if keepdim
            else tuple(unknown() for _ in range(max(len(shape) - len(dims), 0)))
        )
    try:
        places = axes_of(shape, dims, what)
    except Undecided:
        return (ANY_AXES,)
    if not shape:
        return ()
    if keepdim:
        return tuple(1 if i in places else e for i, e in enumerate(shape))
    return tuple(e for i, e in enumerate(shape) if i not in places)


def _all_unknown(shape: Shape) -> Shape:
    return tuple(ANY_AXES if isinstance(e, Pack) else unknown() for e in shape)


def axes_of(shape: Shape, dims: Iterable[Any], what: str = "the tensor") -> list[int]:
    """Indices of several axes.

    Raises:
        ShapeError: out of range, or the same axis twice.
    """
    places: list[int] = []
    for dim in dims:
        place = axis_index(shape, literal(dim), what)
        if place in places:
            raise ShapeError(f"dim={tuple(dims)} names axis {place} of {what} twice")
        places.append(place)
    return places


# --- axis signatures ---------------------------------------------------------------------------


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

    Operands share one dtype, the result has it too unless ``dtype`` says otherwise.  ``flops`` is a
    product of the axes: ``"2 b m k n"``.  ``...`` stands for the same leading axes everywhere.
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
        outs = [operands[0][0].of(fill(p, bound), mask if dtype is None else dtype) for p in results]
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
    _enter(RULES, (public, *aliases), count, spec)(function)


def _signature_of(parameters: list[str]) -> Any:
    import inspect

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([inspect.Parameter(p, kind) for p in parameters])


def _bind(parameters: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    values = {**dict(zip(parameters, args, strict=False)), **kwargs}
    if len(args) > len(parameters) or any(p not in values for p in parameters):
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
                    f"{axis_words(at)} of {first} is {bound[letter]} and {axis_words(place)} of {who} is {entry}"
                )
            bound[letter] = better(bound[letter], entry)
    return bound


def align(shape: Shape, pattern: Sequence[str], who: str) -> list[tuple[str, Any, int]]:
    """Pairs of a letter and its size (None where unknown), with the axis counted from the end."""
    wild = "..." in pattern
    letters = [p for p in pattern if p != "..."]
    if pack_index(shape) is not None:
        return _align_unseen(shape, pattern, who)
    if len(shape) != len(letters) and not (wild and len(shape) >= len(letters)):
        least = "at least " if wild else ""
        raise ShapeError(
            f"{who} has shape {show(shape)}, wanted {least}{len(letters)} axes: ({', '.join(pattern)})"
        )
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
                f"{who} has shape {show(shape)}, wanted {len(letters)} axes: ({', '.join(pattern)})"
            )
        middle = [None] * (len(letters) - len(head) - len(end))
        if known == len(letters):  # every run is empty
            middle = list[Any](e for e in shape[first : last + 1] if not isinstance(e, Pack))
        entries = [*head, *middle, *end]
        return [(p, e, i - len(letters)) for i, (p, e) in enumerate(zip(letters, entries, strict=True))]
    at = pattern.index("...")
    front, back = pattern[:at], pattern[at + 1 :]
    seen = len(head) >= len(front) and len(end) >= len(back)
    pairs = [(p, head[i] if i < len(head) else None, i) for i, p in enumerate(front)]
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
    return _ORDINALS.get(place, f"axis {place}")


def aliases(of: str, *names: str) -> None:
    """More public names for a rule in the table."""
    row = RULES[of]
    _enter(RULES, names, row.flops, row.sample)(row.function)


__all__ = [
    "Function", "Rule", "aliases", "align", "axes_of", "axis_words", "both", "broadcast_operands",
    "broadcast_size", "fill", "flag", "functional", "is_size", "is_unknown", "literal",
    "match_axes", "methods", "need", "pointwise", "reduced", "signature", "under",
]  # fmt: skip
