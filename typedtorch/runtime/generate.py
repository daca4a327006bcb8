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
from inspect import Parameter, getattr_static
from types import FunctionType

from typedtorch.runtime.array_code import NotInline
from typedtorch.runtime.bindings import SHOWN, Unseen, asks, shown
from typedtorch.runtime.checker import Checker
from typedtorch.runtime.emit import PYTHON, Emitter
from typedtorch.runtime.instance import attribute_specs
from typedtorch.runtime.signatures import Written, load
from typedtorch.runtime.specs import Spec
from typedtorch.runtime.streams import STEPS, check_step, full_checks, watched


def generate(checker: Checker, written: Written, owner: type | None = None) -> FunctionType:
    """Compile the quick checker of a signature; where names are the instance's, for one class of instance."""
    return load(_Source(checker, written, owner).write(), written.namespace, f"check of {checker.name}")


class _Source:
    """Writes the source of one checker."""

    def __init__(self, checker: Checker, written: Written, owner: type | None) -> None:
        self.checker, self.written, self.owner = checker, written, owner
        self.attributes = {} if owner is None else attribute_specs(owner)
        specs = [*checker.specs(), *self.attributes.values()]
        self.emit = Emitter(written.namespace, written.names, specs)
        self.call, self.reference = written.call_function, written.constant("CHECKER", checker)
        self.scope, self.value = self.emit.fresh("scope"), self.emit.fresh("result")

    def write(self) -> str:
        """The whole function."""
        emit = self.emit
        self.values = f"{self.reference}.arguments({self.written.values})"
        arguments = self._lines(self._arguments)
        self.bound = f"{emit.sizes_source()}, {emit.runs_source()}"  # by the arguments, not yet the result
        self.certain = set(emit.certain)
        steps = [self._step(spec) for spec in self.checker.passing]
        result = None if arguments is None else self._lines(self._result)
        emit.lines = [self.written.head(defaults=False)]
        with emit.indented():
            if self.owner is not None and arguments is not None:
                owner = emit.constant("OWNER", self.owner)
                emit.add(f"if type({self.written.names[0]}) is not {owner}:  # one of another class")
                emit.add(f"    return {self.written.awaiting}{self.written.call(self.written.first)}")
            if self.checker.passing:
                self._stream(arguments, steps)
            elif asks(self.checker.function):
                known = emit.constant("BINDINGS", shown)
                emit.add(f"{self.scope} = {self.values}")
                emit.add(f"with {known}({self.scope}):", f"    {self.value} = {self.call}")
                emit.add(f"return {self.reference}.result({self.value}, {self.scope})")
            elif arguments is None:
                emit.add(f"{self.scope} = {self.values}")
                self._call(f"{self.value} = {self.call}")
                emit.add(f"return {self.reference}.result({self.value}, {self.scope})")
            elif not arguments and result == []:
                self._call(f"return {self.call}")
            else:
                self._quick(arguments, result)
        return "\n".join(emit.lines) + "\n"

    def _call(self, statement: str) -> None:
        """A statement that calls the function, which sees no caller's bindings for its own: it asks for none.

        No frame stands between: whom a warning is for does not depend on who has asked before.
        """
        if self.checker.is_coroutine:
            self.emit.add(statement)
            return
        shown_to_any, unseen = self.emit.constant("SHOWN", SHOWN), self.emit.constant("UNSEEN", Unseen)
        self.emit.add(f"if {shown_to_any}.ever:", f"    with {unseen}():", f"        {statement}")
        self.emit.add("else:", f"    {statement}")

    def _stream(self, arguments: list[str] | None, steps: list[list[str]]) -> None:
        """A generator: its arguments now, and a check for each kind of value that is going to pass.

        What the arguments bind are defaults in these checks: a name bound by one value is new with the next.
        """
        emit, checker = self.emit, self.reference
        made, full = emit.constant("WATCHED", watched), emit.constant("FULL_CHECKS", full_checks)
        by_reference = f"return {made}({self.call}, *{full}({checker}, {self.scope}))"
        if arguments is None:
            emit.add(f"{self.scope} = {self.values}", by_reference)
            return
        self._try(arguments)
        emit.add(f"if {self.scope} is not None:", f"    {by_reference}")
        checks = []
        for step, (spec, lines) in enumerate(zip(self.checker.passing, steps, strict=True)):
            checks.append("None" if spec is None else emit.fresh(f"check_{STEPS[step]}"))
            if spec is not None:
                known = [f"{var}={var}" for axis, var in emit.locals.items() if self._is_bound(axis)]
                emit.add(f"def {checks[-1]}({', '.join((self.value, *known))}):", "    try:")
                emit.add(*("        " + line for line in lines), "    except Exception:")
                reference, scope = emit.constant("CHECK_STEP", check_step), self._bound_source()
                emit.add(f"        {reference}({checker}, {scope}, {step}, {self.value})")
        emit.add(f"return {made}({self.call}, {', '.join(checks)})")

    def _is_bound(self, axis: str) -> bool:
        """Whether there is a variable of an axis once the arguments were checked."""
        return axis in self.certain or self.emit.local(axis) in self.emit.initial

    def _step(self, spec: Spec | None) -> list[str]:
        """The quick check of a value that a generator passes."""
        if spec is None:
            return []
        self.emit.certain = set(self.certain)
        lines = self._lines(lambda: self.emit.spec(spec, self.value))
        return ["raise Refused"] if lines is None else [f"# {spec.text}".replace("\n", " "), *lines, "pass"]

    def _bound_source(self) -> str:
        """The scope that the quick check of the arguments has bound."""
        return f"{self.reference}.bound({self.written.values}, {self.bound})"

    def _try(self, arguments: list[str]) -> None:
        """The quick check of the arguments; afterwards there is a scope where it does not say yes."""
        emit = self.emit
        for name in emit.initial:
            emit.add(f"{name} = None")
        if all(line.lstrip().startswith("#") for line in arguments):
            arguments = [*arguments, "pass"]
        emit.add(f"{self.scope} = None", "try:", *("    " + line for line in arguments))
        emit.add("except Exception:", f"    {self.scope} = {self.values}")

    def _quick(self, arguments: list[str], result: list[str] | None) -> None:
        emit, scope, value = self.emit, self.scope, self.value
        self._try(arguments)
        if result == []:
            self._call(f"return {self.call}")
            return
        self._call(f"{value} = {self.call}")
        emit.add(f"if {scope} is None:")
        with emit.indented():
            if result is not None:
                emit.add("try:", *("    " + line for line in result))
                emit.add(f"    return {value}", "except Exception:", "    pass")
            emit.add(f"{scope} = {self._bound_source()}")
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
        if self.written.clashes(PYTHON) or (self.owner is None and self.checker.scope == "instance"):
            raise NotInline  # a parameter hides what the code uses; names are those of an instance not seen
        if self.owner is not None:
            self._instance(self.owner)
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

    def _instance(self, owner: type) -> None:
        """Start from what the instance says, as :func:`bind_instance` does."""
        emit, me = self.emit, self.written.names[0]
        plain = emit.fresh("attributes")
        emit.add(f"{plain} = {me}.__dict__" if owner.__dictoffset__ else f"{plain} = {{}}")
        for axis in self.checker.axis_names:
            var, of_class = emit.local(axis), getattr_static(owner, axis, None) is not None
            emit.start_as_none(axis)
            emit.add(
                f"{var} = getattr({me}, {axis!r}, None)" if of_class else f"{var} = {plain}.get({axis!r})"
            )
            emit.add(f"if type({var}) is not int:", f"    {var} = None")
        for name, spec in self.attributes.items():
            value = emit.fresh(f"self_{name}")
            emit.add(f"# self.{name}: {spec.text}")
            if hasattr(owner, "register_parameter"):  # a module asks for its parameters in Python code
                emit.add(f"{value} = {plain}['_parameters'].get({name!r})", f"if {value} is None:")
                emit.add(f"    {value} = getattr({me}, {name!r}, None)")
            else:
                emit.add(f"{value} = getattr({me}, {name!r}, None)")
            emit.guarded(f"{value} is not None", spec, value)

    def _result(self) -> None:
        if self.checker.returns is not None:
            self.emit.add(f"# return: {self.checker.returns.text}".replace("\n", " "))
            if self.checker.may_decline:
                declined = self.emit.constant("DECLINED", NotImplemented)
                self.emit.guarded(f"{self.value} is not {declined}", self.checker.returns, self.value)
            else:
                self.emit.spec(self.checker.returns, self.value)
