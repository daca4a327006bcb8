"""The checker of one function: its signature as specs, and the full check that explains a refused value."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, replace
from inspect import Parameter
from typing import Any, Literal, get_args, get_origin

from typedtorch.runtime.annotations import form_of, spec_of
from typedtorch.runtime.explain import decide
from typedtorch.runtime.hints import annotations_of, innermost
from typedtorch.runtime.instance import bind_instance
from typedtorch.runtime.scope import Scope
from typedtorch.runtime.specs import Anything, Record, Spec, arrays_in, mentions_axes
from typedtorch.shapes.axes import names_of

ScopeKind = Literal["call", "instance"]
_MAY_DECLINE = {f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge")} | {
    f"__{prefix}{name}__"
    for prefix in ("", "r", "i")
    for name in (
        "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "divmod", "pow",
        "lshift", "rshift", "and", "or", "xor",
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Checked:
    """A parameter; ``spec`` is None where nothing is asked of it."""

    name: str
    kind: Any
    default: Any
    spec: Spec | None

    @property
    def whole(self) -> bool:
        """``**options: Unpack[Options]`` describes the dict, not its values."""
        return self.kind is Parameter.VAR_KEYWORD and isinstance(self.spec, Record)

    @property
    def label(self) -> str:
        stars = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}
        return stars.get(self.kind, "") + self.name

    def values(self, given: Any) -> Iterator[tuple[str, Any]]:
        """What to check, with the name of the place it stands at."""
        if self.kind is Parameter.VAR_POSITIONAL:
            yield from ((f"argument '{self.label}'[{i}]", item) for i, item in enumerate(given))
        elif self.kind is Parameter.VAR_KEYWORD and not self.whole:
            yield from ((f"argument {name!r}", item) for name, item in given.items())
        elif self.default is Parameter.empty or given is not self.default:
            yield f"argument {self.label!r}", given


class Checker:
    """Full checks of one function's arguments and result."""

    def __init__(
        self,
        function: Callable[..., Any],
        local: dict[str, Any],
        scope: ScopeKind,
        *,
        owner: type | None = None,
        arrays_only: bool = False,
        exempt: bool = False,
    ) -> None:
        self.function, self.scope = function, "call" if exempt else scope
        self.name = function.__qualname__.rsplit("<locals>.", 1)[-1]
        hints = {} if exempt else annotations_of(function, local, owner)
        self.parameters = tuple(
            Checked(p.name, p.kind, p.default, _spec(hints, p))
            for p in inspect.signature(function).parameters.values()
        )
        inner = innermost(function)
        self.is_coroutine = inspect.iscoroutinefunction(function)
        self.is_generator = inspect.isgeneratorfunction(function)
        self.is_async_generator = inspect.isasyncgenfunction(function)
        # a decorator that turned a generator or a coroutine into something else returns something else
        changed = (
            inspect.isgeneratorfunction(inner) != self.is_generator
            or inspect.isasyncgenfunction(inner) != self.is_async_generator
            or inspect.iscoroutinefunction(inner) != self.is_coroutine
        )
        annotated = hints.get("return", Any) if not changed else Any
        if self.is_coroutine and get_origin(annotated) is Coroutine:
            annotated = Any  # of what is awaited, or, as beartype has it, of the call
        self.may_decline = function.__name__ in _MAY_DECLINE  # by NotImplemented, as in mypy
        streams = self.is_generator or self.is_async_generator
        self.passing = _passing(annotated) if streams else ()  # yielded, sent and returned values
        self.returns = None if streams else _asked(annotated)
        if arrays_only and not any(map(mentions_axes, self.specs())):
            self.parameters = tuple(replace(p, spec=None) for p in self.parameters)
            self.passing, self.returns = (None,) * len(self.passing), None

    def specs(self) -> list[Spec]:
        """Everything that is checked, in order."""
        specs = (*(p.spec for p in self.parameters), *self.passing, self.returns)
        return [spec for spec in specs if spec is not None]

    @functools.cached_property
    def axis_names(self) -> list[str]:
        """Every axis name of the signature, in order."""
        dims = [dim for spec in self.specs() for array in arrays_in(spec) for dim in array.axes.dims]
        return list(dict.fromkeys(name for dim in dims if not dim.variadic for name in sorted(names_of(dim))))

    def arguments(self, values: tuple[Any, ...]) -> Scope:
        """Check the arguments, given in the order of the parameters; what they bind.

        Raises:
            CheckError: one of them contradicts its annotation.
        """
        scope = Scope({p.name: value for p, value in zip(self.parameters, values, strict=True)})
        if self.scope == "instance" and values:
            names = self.axis_names
            decide(self.name, scope, "self", lambda inside: bind_instance(values[0], names, inside))
        for parameter, value in zip(self.parameters, values, strict=True):
            if parameter.spec is not None:
                for place, item in parameter.values(value):
                    self.value(parameter.spec, item, scope, place)
        return scope

    def value(self, spec: Spec, value: Any, scope: Scope, place: str) -> None:
        """Check one value that stands at ``place``.

        Raises:
            CheckError: it contradicts the annotation.
        """
        decide(self.name, scope, place, lambda inside: spec.check(value, inside))

    def result(self, value: Any, scope: Scope) -> Any:
        """The value, once it is checked against the return annotation.

        Raises:
            CheckError: it contradicts the annotation.
        """
        if self.returns is not None and not (self.may_decline and value is NotImplemented):
            self.value(self.returns, value, scope, "return value")
        return value

    def bound(self, values: tuple[Any, ...], sizes: dict[str, Any], runs: dict[str, Any]) -> Scope:
        """The scope after the quick check of the arguments bound these sizes; unbound ones are None."""
        scope = Scope({p.name: value for p, value in zip(self.parameters, values, strict=True)})
        try:  # once more in full, to know who bound what; the function may have changed them since
            scope = self.arguments(values)
        except Exception:
            scope.origins.clear()
        scope.sizes = {name: size for name, size in sizes.items() if size is not None}
        scope.runs = {name: run for name, run in runs.items() if run is not None}
        return scope


def _spec(hints: dict[str, Any], parameter: Parameter) -> Spec | None:
    hint = hints.get(parameter.name, Any)
    if parameter.kind is Parameter.VAR_KEYWORD and form_of(hint) == "Unpack":
        hint = get_args(hint)[0]
    return _asked(hint)


def _asked(hint: Any) -> Spec | None:
    """What an annotation asks for; None where that is nothing."""
    spec = spec_of(hint)
    return None if isinstance(spec, Anything) else spec


def _passing(hint: Any) -> tuple[Spec | None, ...]:
    """What an annotation of a generator asks of the values it yields, is sent and returns."""
    given = *map(_asked, get_args(hint)), None, None, None
    return given[:3]
