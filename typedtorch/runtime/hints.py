"""What a function's annotations mean: strings read where the function was written, one by one.

A name that cannot be found leaves its own annotation unchecked and no other.
"""

from __future__ import annotations

import inspect
import sys
import typing
import warnings
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from typedtorch.runtime.own_class import own_class, with_self

MISSING = inspect.Parameter.empty


def innermost(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function at the bottom of a stack of decorators that use ``functools.wraps``."""
    seen = set()
    while hasattr(function, "__wrapped__") and id(function) not in seen:
        seen.add(id(function))
        function = function.__wrapped__
    return function


def surrounding_names(function: Callable[..., Any]) -> dict[str, Any]:
    """Values of names that string annotations use and only a running function or class body knows.

    Must be called while the definition is being executed.
    """
    wanted = {
        name
        for annotation in getattr(function, "__annotations__", {}).values()
        for text in _texts(annotation)
        for name in _names(text)
    }
    wanted -= getattr(innermost(function), "__globals__", {}).keys()
    if not wanted:
        return {}
    outer = function.__qualname__.removesuffix("." + function.__name__)
    found: dict[str, Any] = {}
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and wanted - found.keys():
        name = frame.f_code.co_qualname
        if name != "<module>" and (outer == name or outer.startswith(name + ".")):
            found = {key: frame.f_locals[key] for key in wanted if key in frame.f_locals} | found
        frame = frame.f_back
    return found


def _texts(annotation: Any) -> list[str]:
    """The strings in an annotation: itself, or ``"B"`` of ``list["B"]``."""
    if isinstance(annotation, str | typing.ForwardRef):
        return [annotation if isinstance(annotation, str) else annotation.__forward_arg__]
    if typing.get_origin(annotation) in (typing.Literal, typing.Annotated):
        return []
    return [text for part in typing.get_args(annotation) for text in _texts(part)]


def _names(annotation: str) -> set[str]:
    try:
        return names_in(compile(annotation, "<annotation>", "eval"))
    except (SyntaxError, ValueError):
        return set()


def names_in(code: CodeType) -> set[str]:
    """Every name that code, or code inside it, looks up outside itself."""
    names: set[str] = set()
    pending = [code]
    while pending:
        names |= {*pending[-1].co_names, *pending[-1].co_freevars}
        pending += [const for const in pending.pop().co_consts if isinstance(const, CodeType)]
    return names


def annotations_of(
    function: Callable[..., Any], local: dict[str, Any], owner: type | None = None
) -> dict[str, Any]:
    """Each annotation as an object, those that cannot be read left out.

    In the body of ``owner``, ``Self`` is that class, and so is its name where a function defines it.
    """
    inner = innermost(function)
    raw = inspect.get_annotations(function) or inspect.get_annotations(inner)
    namespace = getattr(inner, "__globals__", {})
    names = {**closure_of(inner), **local, **{p.__name__: p for p in getattr(inner, "__type_params__", ())}}
    own = own_class(owner)
    if own is not None and own.__qualname__.endswith(f"<locals>.{own.__name__}"):
        names[own.__name__] = own
    resolved = {}
    for name, annotation in raw.items():
        value = read(annotation, namespace, names, f"{function.__qualname__}: {name}")
        if value is not MISSING:
            resolved[name] = value if own is None else with_self(value, own)
    return resolved


def closure_of(function: Any) -> dict[str, Any]:
    """The values a function has from the functions around it."""
    cells = getattr(function, "__closure__", None) or ()
    found = {}
    for name, cell in zip(function.__code__.co_freevars, cells, strict=False) if cells else ():
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return found


def read(annotation: Any, namespace: dict[str, Any], names: dict[str, Any], where: str) -> Any:
    """One annotation with its strings resolved; MISSING where a name in it is unknown here."""

    def holder() -> None: ...

    holder.__annotations__ = {"value": annotation}
    try:
        return typing.get_type_hints(holder, namespace, names, include_extras=True)["value"]
    except (NameError, AttributeError, TypeError, SyntaxError):
        return MISSING
    except Exception as error:
        warnings.warn(f"{where} is not checked: {error}", stacklevel=2)
        return MISSING
