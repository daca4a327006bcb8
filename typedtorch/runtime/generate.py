"""The quick checker of one signature, written as plain Python and compiled once.

For ``def f(x: Float[Tensor, "n d"], w: Float[Tensor, "d k"]) -> Float[Tensor, "n k"]`` it reads::

    def f(x, w):
        scope = None
        try:
            # x: Float[Tensor, "n d"]
            if not isinstance(x, Tensor) or x.dtype not in Float_dtypes:
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

from collections.abc import Callable
from inspect import Parameter
from types import FunctionType

from typedtorch.runtime.array_code import NotInline
from typedtorch.runtime.checker import Checker
from typedtorch.runtime.emit import PYTHON, Emitter
from typedtorch.runtime.signatures import Written, load


def generate(checker: Checker, written: Written) -> FunctionType:
    """Compile the quick checker of a signature."""
    return load(_Source(checker, written).write(), written.namespace, f"check of {checker.name}")


class _Source:
    """Writes the source of one checker."""

    def __init__(self, checker: Checker, written: Written) -> None:
        self.checker, self.written = checker, written
        self.emit = Emitter(written, checker.specs())
        self.call, self.reference = written.call_function, written.constant("CHECKER", checker)
        self.scope, self.value = self.emit.fresh("scope"), self.emit.fresh("result")

    def write(self) -> str:
        """The whole function."""
        emit = self.emit
        self.values = f"{self.reference}.arguments({self.written.values})"
        arguments = self._lines(self._arguments)
        self.bound = f"{emit.sizes_source()}, {emit.runs_source()}"  # by the arguments, not yet the result
        result = None if arguments is None else self._lines(self._result)
        emit.lines = [self.written.head(defaults=False)]
        with emit.indented():
            if arguments is None:
                emit.add(f"{self.scope} = {self.values}")
                emit.add(f"return {self.reference}.result({self.call}, {self.scope})")
            elif not arguments and result == []:
                emit.add(f"return {self.call}")
            else:
                self._quick(arguments, result)
        return "\n".join(emit.lines) + "\n"

    def _quick(self, arguments: list[str], result: list[str] | None) -> None:
        emit, scope, value = self.emit, self.scope, self.value
        for name in emit.initial:
            emit.add(f"{name} = None")
        emit.add(f"{scope} = None", "try:", *("    " + line for line in arguments or ["pass"]))
        emit.add("except Exception:", f"    {scope} = {self.values}")
        if result == []:
            emit.add(f"return {self.call}")
            return
        emit.add(f"{value} = {self.call}", f"if {scope} is None:")
        with emit.indented():
            if result is not None:
                emit.add("try:", *("    " + line for line in result))
                emit.add(f"    return {value}", "except Exception:", "    pass")
            emit.add(f"{scope} = {self.reference}.bound({self.written.values}, {self.bound})")
        emit.add(f"return {self.reference}.result({value}, {scope})")

    def _lines(self, write: Callable[[], None]) -> list[str] | None:
        """The lines ``write`` emits, or None where they cannot be plain code."""
        self.emit.lines = []
        try:
            write()
        except NotInline:
            return None
        return self.emit.lines

    def _arguments(self) -> None:
        emit = self.emit
        if self.checker.scope == "instance" or self.written.clashes(PYTHON):
            raise NotInline  # bindings start from the instance, or a parameter hides what the code uses
        for p in self.checker.parameters:
            if p.spec is None:
                continue
            emit.add(f"# {p.label}: {p.spec.text}".replace("\n", " "))
            if p.kind is Parameter.VAR_POSITIONAL:
                emit.loop(p.name, p.spec)
            elif p.kind is Parameter.VAR_KEYWORD and not p.whole:
                emit.loop(f"{p.name}.values()", p.spec)
            elif p.name in self.written.defaults:
                emit.guarded(f"{p.name} is not {self.written.defaults[p.name]}", p.spec, p.name)
            else:
                emit.spec(p.spec, p.name)

    def _result(self) -> None:
        if self.checker.returns is not None:
            self.emit.add(f"# return: {self.checker.returns.text}".replace("\n", " "))
            self.emit.spec(self.checker.returns, self.value)
