"""The quick checker of one signature, written as plain Python and compiled once.

For ``def f(x: Float[Tensor, "n d"], w: Float[Tensor, "d k"]) -> Float[Tensor, "n k"]`` it reads::

    def f(x, w):
        if is_compiling() or not SWITCH.on:
            return FUNCTION(x, w)
        scope = None
        try:
            # x: Float[Tensor, "n d"]
            if not isinstance(x, Tensor) or x.dtype not in FLOAT:
                raise Refused
            n_n, n_d = x.shape
            # w: Float[Tensor, "d k"]
            ...
        except Exception:
            scope = CHECKER.arguments((x, w))
        result = FUNCTION(x, w)
        ...

The quick code only ever says yes: whatever it does not like goes to ``CHECKER``, the reference, which
finds out what is wrong, or that nothing is.
"""

from __future__ import annotations

import itertools
import keyword
import linecache
from collections.abc import Callable
from inspect import Parameter
from types import FunctionType
from typing import TYPE_CHECKING, Any

from typedtorch.runtime.array_code import NotInline
from typedtorch.runtime.emit import Emitter

if TYPE_CHECKING:
    from typedtorch.runtime.checker import Checker

_files = itertools.count(1)


def generate(checker: Checker, namespace: dict[str, Any]) -> FunctionType:
    """Compile the quick checker; its constants go into ``namespace``, which becomes its globals."""
    source = _Function(checker, namespace).write()
    filename = f"<typed {checker.name} {next(_files)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    scratch: dict[str, Any] = dict(namespace)
    exec(compile(source, filename, "exec"), scratch)
    made = scratch[_identifier(checker.function)]
    assert isinstance(made, FunctionType)
    return made


def _identifier(function: Any) -> str:
    name = str(getattr(function, "__name__", "function"))
    return name if name.isidentifier() and not keyword.iskeyword(name) else "function"


class _Function:
    """Writes the source of one checker."""

    def __init__(self, checker: Checker, namespace: dict[str, Any]) -> None:
        self.checker = checker
        self.names = [p.name for p in checker.parameters]
        self.emit = Emitter(namespace, self.names, checker.specs())
        self.call = f"FUNCTION({self._forwarded()})"
        if checker.is_coroutine:
            self.call = f"await {self.call}"
        self.values = f"({', '.join(self.names)}{',' if self.names else ''})"

    def write(self) -> str:
        emit, function = self.emit, self.checker.function
        head = (
            f"{'async ' if self.checker.is_coroutine else ''}def {_identifier(function)}({self._declared()}):"
        )
        arguments = self._block(self._arguments)
        result = None if arguments is None else self._block(self._result)
        emit.lines = [head]
        with emit.indented():
            emit.add("if is_compiling() or not SWITCH.on:", f"    return {self.call}")
            if arguments is None:
                emit.add(f"scope = CHECKER.arguments({self.values})")
                emit.add(f"return CHECKER.result({self.call}, scope)")
            elif not arguments and result == []:
                emit.add(f"return {self.call}")
            else:
                self._quick(arguments, result)
        return "\n".join(emit.lines) + "\n"

    def _quick(self, arguments: list[str], result: list[str] | None) -> None:
        emit = self.emit
        for name in emit.initial:
            emit.add(f"{name} = None")
        emit.add("scope = None", "try:", *("    " + line for line in arguments or ["pass"]))
        emit.add("except Exception:", f"    scope = CHECKER.arguments({self.values})")
        if result == []:
            emit.add(f"return {self.call}")
            return
        emit.add(f"result = {self.call}", "if scope is None:")
        with emit.indented():
            if result is not None:
                emit.add("try:", *("    " + line for line in result))
                emit.add("    return result", "except Exception:", "    pass")
            bound = f"{emit.sizes_source()}, {emit.runs_source()}"
            emit.add(f"scope = CHECKER.bound({self.values}, {bound})")
        emit.add("return CHECKER.result(result, scope)")

    def _block(self, write: Callable[[], None]) -> list[str] | None:
        """The lines ``write`` emits, or None where they cannot be plain code."""
        self.emit.lines = []
        try:
            write()
        except NotInline:
            return None
        return self.emit.lines

    def _arguments(self) -> None:
        emit = self.emit
        if self.checker.scope == "instance":
            raise NotInline  # bindings start from the instance
        for p in self.checker.parameters:
            if p.spec is None:
                continue
            emit.add(f"# {p.label}: {p.spec.text}".replace("\n", " "))
            if p.kind is Parameter.VAR_POSITIONAL:
                emit.loop(p.name, p.spec)
            elif p.kind is Parameter.VAR_KEYWORD:
                emit.loop(p.name if p.whole else f"{p.name}.values()", p.spec)
            elif p.default is Parameter.empty:
                emit.spec(p.spec, p.name)
            else:
                emit.guarded(
                    f"{p.name} is not {emit.constant(p.name + '_default', p.default)}", p.spec, p.name
                )

    def _result(self) -> None:
        if self.checker.returns is not None:
            self.emit.add(f"# return: {self.checker.returns.text}".replace("\n", " "))
            self.emit.spec(self.checker.returns, "result")

    def _declared(self) -> str:
        """The parameters as written, defaults by reference."""
        parts: list[str] = []
        starred = False
        parameters = self.checker.parameters
        for i, p in enumerate(parameters):
            text = p.name
            if p.kind is Parameter.VAR_POSITIONAL:
                text, starred = "*" + text, True
            elif p.kind is Parameter.VAR_KEYWORD:
                text = "**" + text
            elif p.kind is Parameter.KEYWORD_ONLY and not starred:
                parts.append("*")
                starred = True
            if p.default is not Parameter.empty:
                text += f"={self.emit.constant(p.name + '_default', p.default)}"
            parts.append(text)
            if p.kind is Parameter.POSITIONAL_ONLY and not (
                i + 1 < len(parameters) and parameters[i + 1].kind is Parameter.POSITIONAL_ONLY
            ):
                parts.append("/")
        return ", ".join(parts)

    def _forwarded(self) -> str:
        form = {
            Parameter.VAR_POSITIONAL: "*{0}",
            Parameter.VAR_KEYWORD: "**{0}",
            Parameter.KEYWORD_ONLY: "{0}={0}",
        }
        return ", ".join(form.get(p.kind, "{0}").format(p.name) for p in self.checker.parameters)
