"""Forms that rules are written in: names, pointwise operators, reductions, axis signatures.

Messages speak of the operands; whoever reports them puts the call in front (``x @ w: ...``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from typedtorch.shapes.rule import Fields, name, tuple_text, warn
from typedtorch.shapes.rules.written import called, reduction_along
from typedtorch.shapes.size import Poly, Size, atoms, is_counted, unknown
from typedtorch.shapes.tensor import (
    ANY_AXES,
    UNKNOWN,
    Pack,
    Shape,
    ShapeError,
    Tensor,
    Undecided,
    axis_index,
    broadcast,
    pack_index,
    same_shape,
    show,
    shown,
)

Function = Callable[..., Any]


def both(*operators: str) -> tuple[str, ...]:
    """The function and the method of each name."""
    return tuple(f"{space}.{o}" for o in operators for space in ("torch", "torch.Tensor"))


def methods(*operators: str) -> tuple[str, ...]:
    """Public names of methods of a tensor."""
    return tuple(f"torch.Tensor.{o}" for o in operators)


def functional(*operators: str) -> tuple[str, ...]:
    """Public names in ``torch.nn.functional``."""
    return tuple(f"torch.nn.functional.{o}" for o in operators)


def under(space: str, words: str) -> tuple[str, ...]:
    """Names of a namespace, from words separated by spaces."""
    return tuple(f"{space}.{word}" for word in words.split())


def need(value: Any) -> Tensor:
    """The value as a tensor.

    Raises:
        ShapeError: it is several tensors in a tuple.
        Undecided: it is something else.
    """
    if isinstance(value, Tensor):
        return value
    if (
        isinstance(value, tuple)
        and not isinstance(value, Fields)
        and any(isinstance(v, Tensor) and v.library == "torch" for v in value)
    ):
        raise ShapeError(f"an operand is {tuple_text(value)}, wanted a tensor")
    raise Undecided


def expect_shape(tensor: Any, parameter: str, shape: Shape) -> None:
    """What has to have one shape, which does not broadcast.

    Raises:
        ShapeError: it has another one.
    """
    if same_shape(need(tensor).shape, shape) is False:
        raise ShapeError(f"{name(tensor, parameter)} has shape {show(tensor.shape)}, wanted {show(shape)}")


def is_size(value: Any) -> bool:
    """Whether a value is an integer or an expression in axes."""
    return isinstance(value, (int, Poly)) and not isinstance(value, bool)


def some_size(value: Any) -> Any:
    """What must be a size: some size where it is not known."""
    return unknown() if value is UNKNOWN else value


def literal(value: Any) -> int:
    """An int whose value is known.

    Raises:
        Undecided: it is not known, or not an int.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise Undecided


def counted(values: Iterable[Any]) -> list[Any]:
    """The items of a list that a rule counts: sizes, amounts or axes, one for each of so many.

    Raises:
        Undecided: one of them stands for any number of sizes, as where a shape is of unknown rank.
    """
    listed = list(values)
    if any(isinstance(value, Pack) for value in listed):
        raise Undecided
    return listed


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
            other = next((t, p) for t, p in tensors[:i] if not broadcasts(t.shape, tensor.shape))
            raise _mismatch(other, (tensor, parameter)) from None
    if len(tensors) > 1:
        _lint_outer([t for t, _ in tensors], result)
    return result


def broadcasts(a: Shape, b: Shape) -> bool:
    """Whether two shapes may broadcast, as far as is known."""
    try:
        broadcast(a, b)
    except ShapeError:
        return False
    return True


def _mismatch(first: tuple[Tensor, str], second: tuple[Tensor, str]) -> ShapeError:
    a, b = first[0].shape, second[0].shape
    found = next(
        (
            (i, x, y)
            for i, (x, y) in enumerate(zip(reversed(a), reversed(b), strict=False), 1)
            if not (isinstance(x, Pack) or isinstance(y, Pack)) and not broadcasts((x,), (y,))
        ),
        None,
    )
    who_a, who_b = name(*first), name(*second)
    if found is None:
        text = (
            f"{who_a} of shape {show(a)} and {who_b} of shape {show(b)} "
            "do not broadcast from the last axis on"
        )
        return ShapeError(text, hint=_broadcast_hint(first, second))
    place, x, y = found[0], shown(found[1]), shown(found[2])
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
                return _missing_axis(small, label, back)
    if len(small.shape) == 1 and small.shape[0] != 1 and big.shape.count(small.shape[0]) == 1:
        after = len(big.shape) - 1 - big.shape.index(small.shape[0])
        kept = show((small.shape[0], *[1] * after))
        return f"{called(label)}[:{', None' * after}] is {kept}, which fits"
    if len(a.shape) == len(b.shape) >= 2 and a.shape[-2:] == b.shape[:-3:-1] and a.shape[:-2] == b.shape[:-2]:
        return f"the last two axes of {name(*first)} and {name(*second)} are the other way round"
    return None


def _missing_axis(tensor: Tensor, label: str, back: int) -> str | None:
    """An axis that a reduction took away, or that was never there; numbers may agree by accident."""
    shape = tensor.shape
    if reduction := reduction_along(label, back, len(shape)):
        keyword = "keepdims" if tensor.library == "numpy" else "keepdim"
        where = "" if reduction == label else f"in {reduction} "
        return f"{keyword}=True {where}keeps axis {back}" + ("" if where else f" of {label}")
    if all(isinstance(size, int) for size in shape):
        return None
    place = len(shape) + 1 + back
    kept = show((*shape[:place], 1, *shape[place:]))
    return f"{called(label)}.unsqueeze({back}) is {kept}, which fits"


def _lint_outer(tensors: Sequence[Tensor], result: Shape) -> None:
    """Warn where an axis meets itself by accident: ``(b,)`` with ``(b, 1)`` is ``(b, b)``."""
    if any(t.deliberate for t in tensors) or len({len(t.shape) for t in tensors}) == 1:
        return  # (n, 1) with (1, n): somebody turned the axis on purpose
    for entry in dict.fromkeys(result):
        if isinstance(entry, (int, Pack)):
            continue
        if any(a.kind not in ("axis", "int") for a in atoms(entry)) and not is_counted(entry):
            continue
        times = result.count(entry)
        if times > 1 and all(t.shape.count(entry) < times for t in tensors):
            shapes = " and ".join(show(t.shape) for t in tensors)
            fix = _without_one(tensors) or "give both the same axes"
            warn(
                "broadcast",
                f"{shapes} broadcast to {show(result)}: every {entry} meets every other {entry}",
                f"{fix}, or write the axis of size 1 as [:, None] where this is meant",
            )
            return


def _without_one(tensors: Sequence[Tensor]) -> str | None:
    """Of two tensors the one with an axis of size 1 that the other lacks, without it."""
    if len(tensors) != 2:
        return None
    small, big = sorted(tensors, key=lambda t: len(t.shape))
    places = [
        i for i, e in enumerate(big.shape) if e == 1 and big.shape[:i] + big.shape[i + 1 :] == small.shape
    ]
    if len(places) != 1 or not big.label or not small.label:
        return None
    return f"{called(big.label)}.squeeze({places[0] - len(big.shape)}) has the axes of {small.label}"


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
        layout=_kept_layout(tensors),
        library=tensors[0].library,
    )


def _kept_layout(tensors: Sequence[Tensor]) -> tuple[Size, ...] | None:
    """Operands of one shape and layout hand it on."""
    first = tensors[0]
    alike = all(t.shape == first.shape and t.layout == first.layout for t in tensors)
    return first.layout if alike else None


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
        return (1,) * len(shape) if pack_index(shape) is None else (ANY_AXES,)
    dims = list(dim) if isinstance(dim, (tuple, list)) else [dim]
    if any(isinstance(d, Poly) or d is UNKNOWN for d in dims):
        if pack_index(shape) is not None:
            return (ANY_AXES,)
        return _all_unknown(shape if keepdim else shape[len(dims) :])
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
