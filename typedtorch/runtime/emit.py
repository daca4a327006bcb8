"""Quick checks as source text: one statement after another, ``raise Refused`` where one fails.

A name of an axis becomes a local variable.  It is *certain* once every path so far has bound it, and
*possible* where only some have (an optional argument, an empty list): possible ones start as None.
An array binds nothing until all its axes are compared wherever a failure is not the end of the check.
"""

from __future__ import annotations

import builtins
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType, MappingProxyType
from typing import Any

from typedtorch.runtime.array_code import ArrayCode, NotInline
from typedtorch.runtime.arrays import Array
from typedtorch.runtime.scope import Scope, join_runs
from typedtorch.runtime.signatures import load
from typedtorch.runtime.specs import (
    All,
    Anything,
    Beyond,
    Either,
    Fixed,
    Instance,
    Items,
    Pairs,
    Record,
    Spec,
    arrays_in,
    mentions_axes,
    walk,
)  # fmt: skip

_PLAIN = (type(None), bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset)
# what generated code calls by name
PYTHON = ("Exception", "getattr", "isinstance", "len", "tuple", "type", "Refused", "join_runs", "walk")
_DIRECT = (list, tuple, set, frozenset, deque)


class Refused(Exception):
    """Raised by generated code: the quick check does not say yes."""


class Emitter:
    """Collects the lines of the checks of one signature and the constants they use."""

    def __init__(self, namespace: dict[str, Any], arguments: Iterable[str], specs: Iterable[Spec]) -> None:
        self.namespace = namespace
        self.arguments = set(arguments)
        self.taken = {*self.arguments, *namespace}
        self.lines: list[str] = []
        self.depth = 0
        self.locals: dict[str, str] = {}  # axis name, "*" in front for a run -> local variable
        self.certain: set[str] = set()
        self.initial: list[str] = []  # variables that start as None
        self.careful = 0  # > 0 where a failure is followed by another attempt, or a name may be met again
        self.attempts = 0  # > 0 inside one of several alternatives
        self.open_runs = {
            "*" + dim.name
            for spec in specs
            for array in arrays_in(spec)
            for dim in array.axes.dims
            if dim.kind == "named" and dim.variadic and dim.broadcastable
        }
        self.constants: dict[int, str] = {}
        for name, value in (("Refused", Refused), ("join_runs", join_runs), ("walk", walk)):
            self.namespace[name] = value
            self.taken.add(name)

    # -- text ------------------------------------------------------------------------------------

    def add(self, *lines: str) -> None:
        self.lines += ["    " * self.depth + line for line in lines]

    @contextmanager
    def indented(self) -> Iterator[None]:
        self.depth += 1
        yield
        self.depth -= 1

    def refuse_if(self, condition: str) -> None:
        self.add(f"if {condition}:", "    raise Refused")

    def fresh(self, hint: str) -> str:
        """A new identifier made from ``hint``."""
        base = re.sub(r"\W", "_", hint, flags=re.ASCII)
        name, serial = base, 1
        while name in self.taken or not name.isidentifier() or hasattr(builtins, name):
            serial += 1
            name = f"{base}_{serial}"
        self.taken.add(name)
        return name

    def constant(self, hint: str, value: Any) -> str:
        """The name under which ``value`` is known to the generated code."""
        if id(value) not in self.constants or self.namespace[self.constants[id(value)]] is not value:
            name = self.fresh(hint)
            self.namespace[name] = value
            self.constants[id(value)] = name
        return self.constants[id(value)]

    def local(self, axis: str) -> str:
        """The variable of an axis, or of a run where ``axis`` starts with a star."""
        if axis not in self.locals:
            self.locals[axis] = self.fresh(("r_" if axis.startswith("*") else "n_") + axis.lstrip("*"))
        return self.locals[axis]

    def sizes_source(self) -> str:
        pairs = [f"{name!r}: {var}" for name, var in self.locals.items() if not name.startswith("*")]
        return f"{{{', '.join(pairs)}}}"

    def runs_source(self) -> str:
        """Runs as the reference keeps them: (may still grow, shape)."""
        pairs = []
        for name, var in self.locals.items():
            if name.startswith("*"):
                value = var if name in self.open_runs else f"{var} if {var} is None else (False, {var})"
                pairs.append(f"{name[1:]!r}: {value}")
        return f"{{{', '.join(pairs)}}}"

    # -- control flow ----------------------------------------------------------------------------

    @contextmanager
    def branch(self, *, again: bool = False, attempt: bool = False) -> Iterator[None]:
        """Lines that may not run (or run ``again``): what they bind is only possible afterwards."""
        certain = set(self.certain)
        self.careful += again or attempt
        self.attempts += attempt
        with self.indented():
            before = len(self.lines)
            yield
            if len(self.lines) == before:
                self.add("pass")
        self.careful -= again or attempt
        self.attempts -= attempt
        for axis in sorted(self.certain - certain):
            self.start_as_none(axis)
        self.certain = certain

    def start_as_none(self, axis: str) -> None:
        if self.local(axis) not in self.initial:
            self.initial.append(self.local(axis))

    def guarded(self, condition: str, spec: Spec, var: str) -> None:
        self.add(f"if {condition}:")
        with self.branch():
            self.spec(spec, var)

    def loop(self, items: str, spec: Spec, hint: str = "item") -> None:
        if isinstance(spec, Anything):
            return
        item = self.fresh(hint)
        self.add(f"for {item} in {items}:")
        with self.branch(again=True):
            self.spec(spec, item)

    # -- specs -----------------------------------------------------------------------------------

    def spec(self, spec: Spec, var: str) -> None:
        """Lines that refuse ``var`` unless it satisfies ``spec``."""
        match spec:
            case Anything():
                pass
            case Instance(kind=kind):
                self.refuse_if(self.not_instance(var, (kind,)))
            case Array():
                ArrayCode(self, spec, var).write()
            case All(parts=parts):
                for part in parts:
                    self.spec(part, var)
            case Either(options=options):
                self.either(list(options), var)
            case Items(kind=kind, item=item):
                self.refuse_if(self.not_instance(var, (kind,)))
                self.loop(var if kind in _DIRECT else f"walk({var})", item)
            case Fixed(items=items, rest=None):
                self.fixed(items, var)
            case Pairs(kind=kind, key=key, value=value):
                self.pairs(kind, key, value, var)
            case Record() if check := alone(spec):
                self.add(f"{self.constant(spec.text, check)}({var})")
            case _ if mentions_axes(spec):
                raise NotInline
            case _:
                reference, scope = self.constant("SPEC", spec), self.constant("ALONE", _ALONE)
                self.refuse_if(f"{reference}.check({var}, {scope}) is not None")

    def not_instance(self, var: str, kinds: tuple[type, ...]) -> str:
        tests = [f"{var} is not None"] if type(None) in kinds else []
        names = [self.kind(kind) for kind in kinds if kind is not type(None)]
        if names:
            wanted = names[0] if len(names) == 1 else f"({', '.join(names)})"
            slow = len(kinds) == 1 and type(kinds[0]).__instancecheck__ is not type.__instancecheck__
            exact = f"type({var}) is not {wanted} and " if slow else ""  # Parameter asks Python code
            tests.append(f"{exact}not isinstance({var}, {wanted})")
        return " and ".join(tests)

    def kind(self, kind: type) -> str:
        plain = kind.__module__ == "builtins" and getattr(builtins, kind.__name__, None) is kind
        if plain and kind.__name__ not in self.arguments:
            return kind.__name__
        return self.constant(kind.__name__, kind)

    def either(self, options: list[Spec], var: str) -> None:
        plain = tuple(s.kind for s in options if isinstance(s, Instance) and s.kind in _PLAIN)
        rest = [s for s in options if not (isinstance(s, Instance) and s.kind in _PLAIN)]
        if not rest:
            self.refuse_if(self.not_instance(var, plain))
        elif plain:
            self.add(f"if {self.not_instance(var, plain)}:")
            with self.branch():
                self.attempt(rest, var)
        else:
            self.attempt(rest, var)

    def attempt(self, options: list[Spec], var: str) -> None:
        """The first of the options that does not refuse."""
        if len(options) == 1:
            self.spec(options[0], var)
            return
        self.add("try:")
        with self.branch(attempt=True):
            self.spec(options[0], var)
        self.add("except Exception:")
        with self.branch():
            self.attempt(options[1:], var)

    def fixed(self, items: tuple[Spec, ...], var: str) -> None:
        self.refuse_if(f"not isinstance({var}, tuple) or len({var}) != {len(items)}")
        for i, item in enumerate(items):
            if not isinstance(item, Anything):
                part = self.fresh("part")
                self.add(f"{part} = {var}[{i}]")
                self.spec(item, part)

    def pairs(self, kind: type, key: Spec, value: Spec, var: str) -> None:
        self.refuse_if(self.not_instance(var, (kind,)))
        if isinstance(key, Anything) and isinstance(value, Anything):
            return
        name, item = self.fresh("key"), self.fresh("value")
        self.add(f"for {name}, {item} in {var}.items():")
        with self.branch(again=True):
            self.spec(key, name)
            self.spec(value, item)

    def record(self, record: Record, var: str, defaults: Mapping[str, object]) -> None:
        """The fields that are not at their default, where this is the scope of this record alone."""
        keyed = issubclass(record.kind, Mapping)
        exact = f"type({var}) is not dict and " if keyed else ""
        self.refuse_if(exact + self.not_instance(var, (record.kind,)))
        if keyed:
            key = self.fresh("key")
            self.add(f"for {key} in {var}:", f"    if type({key}) is not str:", "        raise Refused")
        for name, spec in record.fields.items():
            asked = spec.spec if isinstance(spec, Beyond) else spec
            there = f"{name!r} in {var}"
            if keyed and name in record.required:
                self.refuse_if(f"not {there}")
            if isinstance(asked, Anything):
                continue
            value = self.fresh(name)
            found = f"{value} = {var}[{name!r}]" if keyed else f"{value} = {var}.{name}"
            if keyed and name not in record.required:
                self.add(f"if {there}:")
                with self.branch():
                    self.add(found)
                    self.spec(asked, value)
            else:
                self.add(found)
                if name in defaults:
                    default = self.constant(f"{name}_default", defaults[name])
                    self.guarded(f"{value} is not {default}", asked, value)
                else:
                    self.spec(asked, value)


def alone(spec: Spec, defaults: Mapping[str, object] = MappingProxyType({})) -> FunctionType | None:
    """A function that raises unless a value satisfies ``spec`` in a scope of its own; None if only the
    reference can say.  What a record has at its default is not looked at.
    """
    specs = spec.fields.values() if isinstance(spec, Record) else (spec,)
    inner = [part.spec if isinstance(part, Beyond) else part for part in specs]
    emit = Emitter({"__builtins__": builtins, "__tracebackhide__": True}, (), inner)
    value = emit.fresh("value")
    try:
        with emit.indented():
            emit.record(spec, value, defaults) if isinstance(spec, Record) else emit.spec(inner[0], value)
    except NotInline:
        return None
    initial = [f"    {name} = None" for name in emit.initial]
    lines = [
        f"def check({value}):",
        f"    # {spec.text}".replace("\n", " "),
        *initial,
        *emit.lines,
        "    pass",
    ]
    return load("\n".join(lines) + "\n", emit.namespace, spec.text)


_ALONE = Scope()
