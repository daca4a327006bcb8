"""numpy's objects that are indexed to make arrays: ``np.r_``, ``np.c_``, ``np.mgrid``, ``np.ogrid``."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes.rule import rule
from typedtorch.shapes.rules import joining
from typedtorch.shapes.rules.numpy_creation import arange
from typedtorch.shapes.rules.numpy_dtypes import as_item, result_dtype
from typedtorch.shapes.tensor import Tensor, Undecided


def _items(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _steps(index: slice) -> Tensor:
    """What a slice stands for: ``0:n`` is ``np.arange(0, n)``; ``0:1:5j`` are five points, not read here."""
    if isinstance(index.step, complex):
        raise Undecided
    start, step = (0 if index.start is None else index.start), (1 if index.step is None else index.step)
    return arange(start, index.stop, step)


def _parts(key: Any) -> tuple[list[Tensor], int]:
    """The arrays between the brackets, and the dtypes of them joined.

    Raises:
        Undecided: a text among them says how they are joined.
    """
    items = [_steps(item) if isinstance(item, slice) else item for item in _items(key)]
    return [as_item(item) for item in items], result_dtype(*items)


@rule("numpy.r_.__getitem__", sample="(@f:a, @f:b) | (@f:a b, @f:c b) | (0, @F:a) | slice(0, 5) | @f:a")
def r_(key: Any) -> Tensor:
    """Joined along the first axis; a number is an array of one."""
    given, dtype = _parts(key)
    rows = [Tensor((1,), part.dtype, part.label) if part.rank == 0 else part for part in given]
    return Tensor(joining.cat(rows, 0).shape, dtype, library="numpy")


@rule("numpy.c_.__getitem__", sample="(@f:a, @f:a) | (@f:a b, @f:a) | (@f:a b, @f:a c) | slice(0, 5)")
def c_(key: Any) -> Tensor:
    """Joined along the last axis; a row is a column, and a number one of one."""
    given, dtype = _parts(key)
    columns = []
    for part in given:
        if part.rank is None:
            raise Undecided
        missing = (1,) * max(2 - part.rank, 0)
        columns.append(Tensor((*part.shape, *missing), part.dtype, part.label))
    return Tensor(joining.cat(columns, -1).shape, dtype, library="numpy")


def _axes(key: Any) -> list[Tensor]:
    if not all(isinstance(item, slice) for item in _items(key)):
        raise Undecided
    return [_steps(item) for item in _items(key)]


_SAMPLE = "slice(0, 5) | (slice(0, 5), slice(1, 4)) | (slice(0, 5, 2), slice(None, 3), slice(0, 2))"


@rule("numpy.mgrid.__getitem__", sample=_SAMPLE)
def mgrid(key: Any) -> Tensor:
    """One row of the result for each axis: ``(2, a, b)`` of ``[0:a, 0:b]``."""
    axes = _axes(key)
    sizes = tuple(size for axis in axes for size in axis.shape)
    rows = (len(axes),) if isinstance(key, tuple) else ()
    return Tensor((*rows, *sizes), result_dtype(*axes), library="numpy")


@rule("numpy.ogrid.__getitem__", sample=_SAMPLE)
def ogrid(key: Any) -> Any:
    """Each along an axis of its own: ``(a, 1)`` and ``(1, b)`` of ``[0:a, 0:b]``."""
    axes = _axes(key)
    if not isinstance(key, tuple):
        return axes[0]
    made = []
    for place, axis in enumerate(axes):
        shape = (*(1,) * place, *axis.shape, *(1,) * (len(axes) - 1 - place))
        made.append(Tensor(shape, result_dtype(*axes), library="numpy"))
    return tuple(made)
