"""jaxtyping's array annotations: the meaning of ``Float[Tensor, "batch *heads 2*d"]`` for one value.

The verdict is jaxtyping's, including the order in which axes are compared and bound: those before
a ``*name``, those after it, then the run itself.  A refused array binds nothing.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import CodeType
from typing import Any

from typedtorch.runtime.scope import Mismatch, Scope, Shape, join_runs
from typedtorch.shapes.axes import Axes, Dim, names_of
from typedtorch.shapes.slips import problem


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """One array annotation.  ``dtypes`` is None where every dtype is welcome.

    ``accepted`` collects the dtype objects seen to be welcome: looking one up is the quick check.
    """

    array_type: Any
    dtypes: tuple[str | re.Pattern[str], ...] | None
    axes: Axes
    family: str
    accepted: set[Any] = field(default_factory=set)

    @property
    def text(self) -> str:
        return f'{self.family}[{type_name(self.array_type)}, "{self.axes}"]'

    def check(self, value: Any, scope: Scope) -> Mismatch | None:
        """Compare and bind; None where the array is welcome.

        Raises:
            Unbound: an expression names an axis that is not bound yet, or ``?name`` stands outside a
                ``PyTree[..., "T"]``.
            Uncomputable: an expression has no value for these sizes.
        """
        found = self._check_type(value)
        if found is not None or scope.loose:
            return None if is_symbolic(value) else found
        sizes, runs = dict(scope.sizes), dict(scope.runs)
        found = self._check_array(value) or self._check_dtype(value)
        if found is None:
            found, uses = self._check_shape(value.shape, scope, sizes, runs)
            if found is None:
                self._bind(value, scope, sizes, runs)
                return None
            found = replace(found, because=scope.because(uses))
        return replace(found, annotation=self.text, value=describe(value))

    def _bind(
        self, value: Any, scope: Scope, sizes: dict[str, int], runs: dict[str, tuple[bool, Shape]]
    ) -> None:
        for name in sizes.keys() - scope.sizes.keys():
            scope.origins[name] = (scope.place, describe(value))
        for name, run in runs.items():
            if scope.runs.get(name) != run:
                scope.origins["*" + name] = (scope.place, describe(value))
        scope.sizes, scope.runs = sizes, runs

    def _check_type(self, value: Any) -> Mismatch | None:
        if self.array_type is Any:
            return self._check_array(value)
        if isinstance(value, self.array_type):
            return None
        return Mismatch("type", type_name(self.array_type), describe(value), annotation=self.text)

    def _check_array(self, value: Any) -> Mismatch | None:
        """Even an instance of the class may be no array: None of ``Float[Tensor | None, "n"]``."""
        try:
            if hasattr(value, "shape") and hasattr(value, "dtype"):
                return None
        except Exception:  # a nested tensor has no shape, and says so in its own way
            pass
        return Mismatch("type", "an array (shape and dtype)", describe(value), annotation=self.text)

    def _check_dtype(self, value: Any) -> Mismatch | None:
        if self.dtypes is None:
            return None
        name = dtype_name(value.dtype)
        if any(name == d if isinstance(d, str) else d.match(name) for d in self.dtypes):
            self.accepted.add(value.dtype)
            return None
        return Mismatch("dtype", self.family, name)

    def _check_shape(
        self, shape: Shape, scope: Scope, sizes: dict[str, int], runs: dict[str, tuple[bool, Shape]]
    ) -> Finding:
        dims, rank = self.axes.dims, len(shape)
        at = self.axes.variadic
        if at is None:
            if rank != len(dims):
                return Mismatch("shape", _count(len(dims)), f"{rank}"), ()
            return _check_dims(dims, shape, scope, sizes)
        after = len(dims) - at - 1
        if rank < at + after:
            return Mismatch("shape", f"at least {_count(at + after)}", f"{rank}"), ()
        found = _check_dims(dims[:at], shape[:at], scope, sizes)
        if found[0] is None:
            found = _check_dims(dims[at + 1 :], shape[rank - after :], scope, sizes)
        if found[0] is not None or dims[at].kind == "anonymous":
            return found
        return _check_run(dims[at], shape[at : rank - after], scope, runs)


Finding = tuple[Mismatch | None, tuple[str, ...]]  # the names are those the decision rests on


def _check_run(dim: Dim, shape: Shape, scope: Scope, runs: dict[str, tuple[bool, Shape]]) -> Finding:
    name, shape = _own_name(dim, scope), tuple(shape)
    before = runs.get(name)
    joined = join_runs(before, dim.broadcastable, shape)
    if joined is None:
        assert before is not None  # an unbound run takes any shape
        broadcasts = "to broadcast with " if before[0] or dim.broadcastable else ""
        return Mismatch("shape", f"{broadcasts}{before[1]}", f"{shape}", f"*{dim.name}"), ("*" + name,)
    runs[name] = joined
    return None, ()


def _check_dims(dims: tuple[Dim, ...], shape: Shape, scope: Scope, sizes: dict[str, int]) -> Finding:
    for dim, size in zip(dims, shape, strict=True):
        if dim.kind == "anonymous" or (dim.broadcastable and size == 1):
            continue
        if dim.kind == "fixed":
            wanted, uses = dim.size, list[str]()
        elif dim.kind == "symbolic":
            wanted, uses = evaluate(dim, scope, sizes), sorted(names_of(dim) & sizes.keys())
        else:
            name = _own_name(dim, scope)
            wanted, uses = sizes.setdefault(name, size), [name]
        if wanted != size:
            return Mismatch("shape", f"{wanted}", f"{size}", dim.text.lstrip("#?")), tuple(uses)
    return None, ()


def _own_name(dim: Dim, scope: Scope) -> str:
    if not dim.treepath:
        return dim.name
    if scope.leaf is None:
        raise Unbound(f"axis {dim.text!r}: '?' has a meaning only inside PyTree[..., \"T\"]")
    return scope.leaf + dim.name


def evaluate(dim: Dim, scope: Scope, sizes: dict[str, int]) -> Any:
    """The value of an axis that is an expression: ``{...}`` in the arguments, then the rest in the sizes.

    Raises:
        Unbound: it names something that is not bound yet.
        Uncomputable: it fails on these sizes, by dividing by zero say.
    """
    text = dim.name
    try:
        if any(sign in text for sign in _FORMATTED):
            text = eval(_code(f"f'{text}'"), dict(scope.arguments))
        return eval(_code(text), dict(sizes))
    except NameError as error:
        reason = f"{error.args[0]}; wanted names of arguments and of axes bound further left"
        raise Unbound(f"axis {problem(dim) or f'{dim.text!r}: {reason}'}") from None
    except Exception as error:
        raise Uncomputable(dim, error) from None


_FORMATTED = "{}\\'"  # an axis with one of these is not its own value as an f-string


class Unbound(Exception):
    """The annotation is wrong, not the value: it uses a name that has no size yet."""


class Uncomputable(Exception):
    """An axis that is an expression has no value for the sizes of this call."""

    def __init__(self, dim: Dim, error: Exception) -> None:
        why = problem(dim) or f"{dim.text!r} cannot be computed: {type(error).__name__}: {error}"
        super().__init__(f"axis {why}")


@lru_cache(maxsize=4096)
def _code(text: str) -> CodeType:
    return compile(text.strip(), f"<axis {text}>", "eval")


def is_symbolic(value: Any) -> bool:
    """Whether it stands for a value while ``torch.fx`` traces: nothing is known of it."""
    fx = sys.modules.get("torch.fx")
    return fx is not None and isinstance(value, fx.Proxy)


def dtype_name(dtype: Any) -> str:
    """The name jaxtyping compares: numpy's and JAX's type name, or the end of torch's ``repr``."""
    kind = getattr(dtype, "type", None)
    if kind is not None and hasattr(kind, "__name__"):
        if kind.__name__ == "void" and getattr(dtype, "itemsize", 0):
            return str(dtype)  # a numpy structured array is told by its fields
        return str(kind.__name__)
    if hasattr(dtype, "as_numpy_dtype"):
        return str(dtype.as_numpy_dtype.__name__)
    return dtype if isinstance(dtype, str) else repr(dtype).rsplit(".", 1)[-1]


def describe(value: Any) -> str:
    """A value in a few words: an array by dtype and shape, never by its contents."""
    try:
        shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    except Exception:
        return f"{type_name(type(value))} without a shape"
    if isinstance(shape, tuple) and dtype is not None and not isinstance(value, type):
        kind = type(value).__name__
        if not shape and type(value).__module__ == "numpy" and kind != "ndarray":
            return f"numpy.{kind} {value!s:.40}"  # a scalar, which has dtype and shape as an array has
        prefix = "" if kind in {"Tensor", "Parameter"} else f"{kind} "
        return f"{prefix}{dtype_name(dtype)} {tuple(shape)}"
    if value is None or isinstance(value, bool | int | float | str | bytes):
        text = repr(value)
        return (
            f"{type(value).__name__} {text}"
            if len(text) <= 40 and value is not None
            else type_name(type(value))
        )
    if isinstance(value, list | tuple | dict | set | frozenset):
        return f"{type(value).__name__} of {len(value)}"
    return type_name(value) if isinstance(value, type) else type_name(type(value))


def type_name(kind: Any) -> str:
    """A class as a user writes it."""
    if kind is Any:
        return "Any"
    if kind is type(None):
        return "None"
    return getattr(kind, "__qualname__", None) or str(kind).replace("typing.", "")


def _count(rank: int) -> str:
    return "1 axis" if rank == 1 else f"{rank} axes"
