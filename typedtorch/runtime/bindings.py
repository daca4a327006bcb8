"""What a call has bound, where the body of the function asks jaxtyping for it.

``isinstance(y, Float[Tensor, "n d"])`` and ``jaxtyping.print_bindings()`` look at the top of a stack that
jaxtyping keeps.  A function whose code may ask is run with its bindings there, and what the body binds holds
for the result; no other function pays for it.  As in jaxtyping, coroutines and generators are run without.

A function that does not ask, called by one that does, hides those bindings from what it calls.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, ModuleType
from typing import Any

from typedtorch.runtime.hints import closure_of, innermost, names_in
from typedtorch.runtime.scope import Scope

_ASKING = {"isinstance", "is_bearable", "die_if_unbearable"}


class Shown:
    """Whether any function in this process has been run with its bindings shown."""

    __slots__ = ("ever",)

    def __init__(self) -> None:
        self.ever = False


SHOWN = Shown()


def asks(function: Callable[..., Any]) -> bool:
    """Whether the code of a function, or one inside it, may ask what the call has bound."""
    inner = innermost(function)
    code = getattr(inner, "__code__", None)
    later = inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function)
    if not isinstance(code, CodeType) or later or "jaxtyping" not in sys.modules:
        return False
    names = names_in(code)
    if "print_bindings" in names:
        return True
    if names.isdisjoint(_ASKING):
        return False
    known = {**getattr(inner, "__globals__", {}), **closure_of(inner)}
    named = [known[name] for name in names if name in known]
    inside = [
        vars(holder).get(name) for holder in named if isinstance(holder, ModuleType | type) for name in names
    ]
    return "jaxtyping" in names or any(map(_is_annotation, (*named, *inside)))


def _is_annotation(value: Any) -> bool:
    """jaxtyping, a family of its annotations, one of them, or a type or tuple with one of them in it."""
    jaxtyping = sys.modules["jaxtyping"]
    if value is jaxtyping:
        return True
    if isinstance(value, type) and not typing.get_args(value):
        ours = jaxtyping.AbstractArray, jaxtyping.AbstractDtype
        return issubclass(value, ours) or type(value).__name__ == "_MetaPyTree"
    parts = value if type(value) is tuple else typing.get_args(value)
    return any(map(_is_annotation, parts))


@contextmanager
def shown(scope: Scope) -> Iterator[None]:
    """Inside, jaxtyping knows the bindings of ``scope``, which afterwards has what was bound inside, too."""
    from jaxtyping import _storage  # noqa: PLC0415 - loaded where array annotations exist

    SHOWN.ever = True
    sizes, runs, trees, _ = _storage.push_shape_memo(dict(scope.arguments))
    sizes.update(scope.sizes)
    runs.update(scope.runs)
    trees.update(scope.trees)
    try:
        yield
    finally:
        # a refusal put copies there
        sizes, runs, trees, _ = _storage.get_shape_memo()  # type: ignore[no-untyped-call]  # not annotated
        _storage.pop_shape_memo()
        scope.sizes, scope.runs, scope.trees = sizes, runs, trees


class Unseen:
    """Inside, jaxtyping knows no bindings, those of a caller least of all."""

    __slots__ = ("_stack", "_storage")

    def __enter__(self) -> None:
        from jaxtyping import _storage  # noqa: PLC0415 - loaded where array annotations exist

        self._storage = _storage._shape_storage
        self._stack = getattr(self._storage, "memo_stack", [])
        self._storage.memo_stack = []

    def __exit__(self, *_: object) -> None:
        self._storage.memo_stack = self._stack
