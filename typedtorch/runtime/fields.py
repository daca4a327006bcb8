"""Dataclasses: fields checked when the object is complete, and each time one is assigned.

A field that is left at its default, be it an object or what a factory makes, is not checked and binds no
axis, as a function's default is not.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import inspect
import math
import sys
from collections.abc import Callable, Mapping
from typing import Any

from typedtorch.runtime.annotations import spec_of
from typedtorch.runtime.emit import alone
from typedtorch.runtime.explain import decide
from typedtorch.runtime.hints import MISSING, read
from typedtorch.runtime.scope import Scope
from typedtorch.runtime.signatures import load
from typedtorch.runtime.specs import Anything, Beyond, Record, Spec, mentions_axes
from typedtorch.runtime.switch import SWITCH, is_compiling


def check_fields(kind: type, *, arrays_only: bool = False) -> None:
    """Add the checks to a dataclass; its ``__init__`` already checks its own arguments.

    With ``arrays_only`` a dataclass none of whose fields holds an array is not checked at all.
    """
    if not dataclasses.is_dataclass(kind):
        return
    specs = functools.cache(lambda: _specs(kind, arrays_only))
    init = kind.__dict__.get("__init__")
    if init is not None and _has_more_than_arguments(kind):
        setattr(kind, "__init__", _completed(init, kind, specs))  # noqa: B010 - not a method to mypy
    if not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]  # a dataclass has it
        setattr(kind, "__setattr__", _assigned(kind, specs))  # noqa: B010 - likewise


def _has_more_than_arguments(kind: Any) -> bool:
    """Whether the object may end up with fields that are not the arguments of ``__init__``."""
    made = any(not f.init or f.default_factory is not dataclasses.MISSING for f in dataclasses.fields(kind))
    return made or hasattr(kind, "__post_init__") or not kind.__dataclass_params__.init


def _specs(kind: Any, arrays_only: bool) -> dict[str, Spec]:
    found: dict[str, Spec] = {}
    if getattr(kind, "__no_type_check__", False):
        return found
    bases: tuple[type, ...] = kind.__mro__
    names = {field.name for field in dataclasses.fields(kind)}
    for base in reversed(bases):
        if "__dataclass_fields__" not in vars(base):
            continue
        namespace = vars(sys.modules.get(base.__module__, sys))
        for name, annotation in inspect.get_annotations(base).items():
            if name in names:
                value = read(annotation, namespace, dict(vars(base)), f"{base.__qualname__}.{name}")
                found[name] = spec_of(Any if value is MISSING else value)
    if arrays_only and not any(map(mentions_axes, found.values())):
        return {}
    return {name: spec for name, spec in found.items() if not isinstance(spec, Anything)}


def _completed(init: Any, kind: type, specs: Callable[[], dict[str, Spec]]) -> Any:
    made = functools.cache(lambda: _made_by_factories(kind, init))
    declared = functools.cache(
        lambda: {p.name: p.default for p in list(inspect.signature(init).parameters.values())[1:]}
    )
    names = functools.cache(lambda: [field.name for field in dataclasses.fields(kind)])
    quick = functools.cache(lambda: _of_all(kind, specs()))

    def check_all(instance: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if type(instance) is kind and _passes(quick(), instance):
            return
        given = declared() | dict(zip(declared(), args, strict=False)) | kwargs
        now = {name: getattr(instance, name) for name in names() if hasattr(instance, name)}
        scope = Scope({"self": instance} | given | now)
        for name, spec in specs().items():
            value = getattr(instance, name, MISSING)
            left = name in made() and not (len(args) > made()[name] or name in kwargs)
            if not (left or value is MISSING or value is _default(instance, name)):
                check(kind, name, spec, value, scope)

    return _written(
        "def __init__(self, *args, **kwargs):\n"
        "    INIT(self, *args, **kwargs)\n"
        "    if not is_compiling() and SWITCH.on:\n"
        "        CHECK(self, args, kwargs)\n",
        {"INIT": init, "CHECK": check_all},
        init,
    )


def _of_all(kind: type, specs: Mapping[str, Spec]) -> Callable[[Any], None] | None:
    """The quick check of every field; more is asked than needed, as a factory may have made what is there."""
    fields: Mapping[str, dataclasses.Field[Any]] = vars(kind)["__dataclass_fields__"]
    defaults = {n: fields[n].default for n in specs if fields[n].default is not dataclasses.MISSING}
    return alone(Record(kind, specs, frozenset(specs), kind.__qualname__), defaults)


def _passes(quick: Callable[[Any], None] | None, value: Any) -> bool:
    """Whether a quick check says yes."""
    if quick is None:
        return False
    try:
        quick(value)
    except Exception:
        return False
    return True


def _made_by_factories(kind: Any, init: Callable[..., Any]) -> dict[str, float]:
    """The fields that a factory fills, each with its position among the arguments of ``__init__``.

    An argument beyond that position is one for the field.
    """
    parameters = [
        p.name if p.kind is p.POSITIONAL_OR_KEYWORD else ""
        for p in list(inspect.signature(init).parameters.values())[1:]
    ]
    return {
        f.name: parameters.index(f.name) if f.name in parameters else math.inf
        for f in dataclasses.fields(kind)
        if f.default_factory is not dataclasses.MISSING
    }


def _default(instance: Any, name: str) -> Any:
    """The default of a field in the class of the instance, which may give it another one."""
    return type(instance).__dataclass_fields__[name].default


def _assigned(kind: type, specs: Callable[[], dict[str, Spec]]) -> Any:
    quick = functools.cache(lambda name: alone(specs()[name]))

    def check_one(instance: Any, name: str, value: Any) -> None:
        asked = name in specs() and hasattr(instance, name) and value is not _default(instance, name)
        if asked and not _passes(quick(name), value):
            check(kind, name, specs()[name], value, Scope())

    plain: Any = kind.__setattr__
    assign = "object.__setattr__" if plain is object.__setattr__ else "ASSIGN"  # tracers know it by name
    return _written(
        "def __setattr__(self, name, value):\n"
        "    if not is_compiling() and SWITCH.on:\n"
        "        CHECK(self, name, value)\n"
        f"    {assign}(self, name, value)\n",
        {"ASSIGN": plain, "CHECK": check_one},
        plain,
    )


def _written(source: str, namespace: dict[str, Any], original: Any) -> Any:
    """A method from source; its globals, unlike a closure, are none of a tracer's business until used."""
    compiler = getattr(sys.modules.get("torch"), "compiler", None)
    namespace |= {"SWITCH": SWITCH, "is_compiling": getattr(compiler, "is_compiling", is_compiling)}
    namespace |= {"__builtins__": builtins, "__tracebackhide__": True}
    return functools.update_wrapper(load(source, namespace, "fields"), original)


def check(kind: type, name: str, spec: Spec, value: Any, scope: Scope) -> None:
    """Check the value of one field.

    Raises:
        CheckError: it contradicts the field's annotation.
    """
    owner = kind.__qualname__.rsplit("<locals>.", 1)[-1]
    decide(owner, scope, f"field {name!r}", lambda inside: Beyond(spec).check(value, inside))
