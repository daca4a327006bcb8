"""A function's parameters as source text: how they are declared, and passed on."""

from __future__ import annotations

import inspect
import itertools
import keyword
import linecache
from collections.abc import Callable, Iterable
from functools import cache
from inspect import Parameter
from types import CodeType, FunctionType
from typing import Any

_serial = itertools.count(1)
_PASSED: dict[Any, str] = {
    Parameter.VAR_POSITIONAL: "*{0}",
    Parameter.VAR_KEYWORD: "**{0}",
    Parameter.KEYWORD_ONLY: "{0}={0}",
}


class Written:
    """The signature of a function in the words of generated code.

    Default values stand in ``namespace`` under ``<parameter>_default``.
    """

    def __init__(self, function: Callable[..., Any], namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        self.parameters = list(inspect.signature(function).parameters.values())
        self.names = [p.name for p in self.parameters]
        self.is_coroutine = inspect.iscoroutinefunction(function)
        self.awaiting = "await " if self.is_coroutine else ""
        name = str(getattr(function, "__name__", "function"))
        self.identifier = name if name.isidentifier() and not keyword.iskeyword(name) else "function"
        self.label = function.__qualname__.rsplit("<locals>.", 1)[-1]
        self.first = ""  # the name of what finds the check for a call
        self.defaults: dict[str, str] = {}
        for p in self.parameters:
            if p.default is not Parameter.empty:
                self.defaults[p.name] = self.constant(f"{p.name}_default", p.default)
        self.call_function = self.awaiting + self.call(self.constant("FUNCTION", function))

    def clashes(self, reserved: Iterable[str]) -> bool:
        """Whether a parameter hides one of these names."""
        return not set(reserved).isdisjoint(self.names)

    def constant(self, hint: str, value: Any) -> str:
        """The name under which generated code finds ``value``; no parameter is called so."""
        name = hint
        while name in self.names or self.namespace.get(name, value) is not value:
            name += "_"
        self.namespace[name] = value
        return name

    def head(self, *, defaults: bool) -> str:
        """``def f(a, /, b=b_default, *rest, c):``"""
        parts: list[str] = []
        kinds = [p.kind for p in self.parameters]
        for i, p in enumerate(self.parameters):
            if (
                p.kind is Parameter.KEYWORD_ONLY
                and Parameter.VAR_POSITIONAL not in kinds
                and "*" not in parts
            ):
                parts.append("*")
            text = _PASSED[p.kind].format(p.name) if p.kind in _STARRED else p.name
            if defaults and p.name in self.defaults:
                text += f"={self.defaults[p.name]}"
            parts.append(text)
            if p.kind is Parameter.POSITIONAL_ONLY and kinds[i + 1 : i + 2] != [Parameter.POSITIONAL_ONLY]:
                parts.append("/")
        return f"{'async ' if self.is_coroutine else ''}def {self.identifier}({', '.join(parts)}):"

    def call(self, function: str, *first: str) -> str:
        """``FUNCTION(a, b, *rest, c=c)``, with other arguments in front."""
        passed = (_PASSED.get(p.kind, "{0}").format(p.name) for p in self.parameters)
        return f"{function}({', '.join((*first, *passed))})"

    @property
    def values(self) -> str:
        """``(a, b, rest, c)``: the tuple of all arguments, in order."""
        return f"({', '.join(self.names)}{',' if len(self.names) == 1 else ''})"


_STARRED = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def load(source: str, namespace: dict[str, Any], label: str) -> FunctionType:
    """The function a source text defines, with ``namespace`` as its globals and readable tracebacks."""
    local: dict[str, Any] = {}
    exec(_compiled(source, label), namespace, local)
    (made,) = local.values()
    assert isinstance(made, FunctionType)
    # dynamo keeps what it compiled with the code object, for the globals it saw: no two functions share one
    made.__code__ = made.__code__.replace()
    return made


@cache
def _compiled(source: str, label: str) -> CodeType:
    """Compiled once, however often a function inside a function is defined anew."""
    filename = f"<typed {label} {next(_serial)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    return compile(source, filename, "exec")
