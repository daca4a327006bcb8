"""Quick checks of one array annotation as source text; see :mod:`typedtorch.runtime.emit`."""

from __future__ import annotations

import ast
import builtins
import re
from string import Formatter
from typing import TYPE_CHECKING, Any

from typedtorch.shapes.axes import Dim

if TYPE_CHECKING:
    from typedtorch.runtime.arrays import Array
    from typedtorch.runtime.emit import Emitter


class NotInline(Exception):
    """This check has no plain code; the reference does it."""


class ArrayCode:
    """Writes the check of one array: type and dtype, number of axes, then axes in jaxtyping's order.

    Inside one of several alternatives names are bound in shadow variables, copied back once all agree.
    """

    def __init__(self, emit: Emitter, spec: Array, var: str) -> None:
        self.emit, self.spec, self.var = emit, spec, var
        self.shadows: dict[str, str] = {}
        if emit.attempts:
            self.shadow()
        self.sure: set[str] = set()  # bound by this array on every path
        self.ahead: set[str] = set()  # bound by this array, further to the right

    def write(self) -> None:
        """Emit the lines."""
        spec, emit, var = self.spec, self.emit, self.var
        tests = []
        if spec.array_type is not Any:
            tests.append(emit.not_instance(var, (spec.array_type,)))
        if spec.dtypes is not None:
            tests.append(f"{var}.dtype not in {emit.constant(spec.family + '_dtypes', spec.accepted)}")
        if tests:
            emit.refuse_if(" or ".join(tests))
        if not all(hasattr(spec.array_type, name) for name in ("shape", "dtype")):
            emit.add(f"{var}.shape, {var}.dtype")  # whatever has both is an array
        dims, at = spec.axes.dims, spec.axes.variadic
        if at is None:
            self.without_run(dims)
        elif len(dims) > 1 or dims[at].kind != "anonymous":
            self.with_run(dims, at)
        else:
            emit.add(f"{var}.shape")  # any will do, but a nested tensor has none
        for axis, shadow in self.shadows.items():
            emit.add(f"{emit.local(axis)} = {shadow}")
        emit.certain |= self.sure

    def shadow(self) -> None:
        """Copy every variable this array may bind; the copies are made whatever path is taken."""
        for dim in self.spec.axes.dims:
            axis = "*" + dim.name if dim.variadic else dim.name
            if dim.kind == "named" and axis not in self.emit.certain and axis not in self.shadows:
                self.emit.start_as_none(axis)
                self.shadows[axis] = self.emit.fresh(f"try_{dim.name}")
                self.emit.add(f"{self.shadows[axis]} = {self.emit.local(axis)}")

    def without_run(self, dims: tuple[Dim, ...]) -> None:
        emit = self.emit
        if not dims:
            emit.refuse_if(f"len({self.var}.shape) != 0")
            return
        targets: list[str] = []
        later: list[tuple[Dim, str]] = []
        for dim in dims:
            if dim.kind == "anonymous":
                targets.append(emit.fresh("unused"))
            elif self.binds_by_unpacking(dim):
                targets.append(emit.local(dim.name))
                later.append((dim, ""))
                self.ahead.add(dim.name)
            else:
                targets.append(emit.fresh(f"size_{dim.name}" if dim.kind == "named" else "size"))
                later.append((dim, targets[-1]))
        emit.add(f"{', '.join(targets)}{',' if len(targets) == 1 else ''} = {self.var}.shape")
        for dim, size in later:
            if size:
                self.axis(dim, size)
            else:
                self.ahead.remove(dim.name)
                self.sure.add(dim.name)

    def binds_by_unpacking(self, dim: Dim) -> bool:
        """A plain name met for the first time, where a failure ends the whole check."""
        plain = dim.kind == "named" and not dim.broadcastable and not dim.treepath
        return plain and not self.emit.careful and dim.name not in self.emit.locals

    def with_run(self, dims: tuple[Dim, ...], at: int) -> None:
        emit, after = self.emit, len(dims) - at - 1
        shape = emit.fresh("shape")
        emit.add(f"{shape} = {self.var}.shape")
        if at + after:
            emit.refuse_if(f"len({shape}) < {at + after}")
        for i, dim in (*enumerate(dims[:at]), *((i - after, dim) for i, dim in enumerate(dims[at + 1 :]))):
            if dim.kind != "anonymous":
                size = emit.fresh(f"size_{dim.name}" if dim.kind == "named" else "size")
                emit.add(f"{size} = {shape}[{i}]")
                self.axis(dim, size)
        if dims[at].kind != "anonymous":
            ends = f"{at or ''}:{-after or ''}"
            self.run(dims[at], shape if ends == ":" else f"{shape}[{ends}]")

    def axis(self, dim: Dim, size: str) -> None:
        """Compare one axis whose size is in the variable ``size``, or bind its name."""
        unless_one = f"{size} != 1 and " if dim.broadcastable else ""
        if dim.treepath:
            raise NotInline
        if dim.kind != "named":
            wanted = str(dim.size) if dim.kind == "fixed" else Expression(self, dim.name).source()
            self.emit.refuse_if(f"{unless_one}{size} != {wanted}")
        elif self.is_sure(dim.name):
            self.emit.refuse_if(f"{unless_one}{size} != {self.variable(dim.name)}")
        elif dim.broadcastable:
            self.emit.add(f"if {size} != 1:")
            with self.emit.indented():
                self.bind_or_compare(dim.name, size)
        else:
            self.bind_or_compare(dim.name, size)
            self.sure.add(dim.name)

    def run(self, dim: Dim, shape: str) -> None:
        """Compare the axes ``*name`` stands for, or bind them."""
        emit, axis = self.emit, "*" + dim.name
        if dim.treepath:
            raise NotInline
        if axis in emit.open_runs:
            var, joined = self.variable(axis, maybe=True), emit.fresh("joined")
            emit.add(f"{joined} = join_runs({var}, {dim.broadcastable}, tuple({shape}))")
            emit.refuse_if(f"{joined} is None")
            emit.add(f"{var} = {joined}")
        elif self.is_sure(axis):
            emit.refuse_if(f"{shape} != {self.variable(axis)}")
        elif axis not in emit.locals and not emit.careful:
            emit.add(f"{self.variable(axis)} = {shape}")
            self.sure.add(axis)
        else:
            self.bind_or_compare(axis, shape)
            self.sure.add(axis)

    def bind_or_compare(self, axis: str, value: str) -> None:
        var = self.variable(axis, maybe=True)
        self.emit.add(f"if {var} is None:", f"    {var} = {value}")
        self.emit.add(f"elif {value} != {var}:", "    raise Refused")

    def is_sure(self, axis: str) -> bool:
        return axis in self.sure or axis in self.emit.certain

    def variable(self, axis: str, *, maybe: bool = False) -> str:
        """Where the size of an axis is kept while this array is compared."""
        if maybe:
            self.emit.start_as_none(axis)
        return self.shadows.get(axis) or self.emit.local(axis)


class Expression:
    """An axis that is an expression, rewritten in the variables of the checker."""

    def __init__(self, array: ArrayCode, text: str) -> None:
        self.array, self.text = array, text
        self.filled: frozenset[str] = frozenset()

    def source(self) -> str:
        """The expression as source; NotInline where only the reference knows its meaning."""
        text = self.text
        if any(sign in text for sign in "\\'"):
            raise NotInline
        plain = self._fill(text) if "{" in text or "}" in text else text
        tree = _parse(plain)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                node.id = self._name(node.id)
            elif not isinstance(node, _ARITHMETIC):
                raise NotInline
        return f"({ast.unparse(tree)})"

    def _name(self, name: str) -> str:
        emit = self.array.emit
        if name in self.filled:
            return name
        if name in self.array.ahead:
            raise NotInline  # jaxtyping goes from left to right, and so does the reference
        if self.array.is_sure(name):
            return self.array.variable(name)
        if name in emit.locals:
            if emit.attempts:
                raise NotInline  # to refuse would try the next alternative, where jaxtyping raises
            emit.refuse_if(f"{emit.local(name)} is None")
            return emit.local(name)
        if hasattr(builtins, name):
            return emit.constant(f"python_{name}", getattr(builtins, name))
        raise NotInline

    def _fill(self, text: str) -> str:
        """``2*{self.n}`` as ``2*value`` with ``value = self.n``: the same number where that is one."""
        emit, plain, names = self.array.emit, "", set()
        if emit.attempts or not all(map(_stands_alone, *_neighbours(text))):
            raise NotInline
        for literal, inner, spec, conversion in Formatter().parse(text):
            plain += literal
            if inner is None:
                continue
            if spec or conversion:
                raise NotInline
            for node in ast.walk(_parse(inner)):
                foreign = isinstance(node, ast.Name) and node.id not in emit.arguments
                if foreign or not isinstance(node, (*_ARITHMETIC, ast.Attribute, ast.Subscript)):
                    raise NotInline
            value = emit.fresh("value")
            emit.add(f"{value} = {inner.strip()}")
            emit.refuse_if(f"type({value}) is not int or {value} < 0")
            names.add(value)
            plain += value
        self.filled = frozenset(names)
        return plain


_ARITHMETIC = (
    ast.BinOp, ast.UnaryOp, ast.Call, ast.Name, ast.Constant, ast.Load, ast.operator, ast.unaryop,
)  # fmt: skip


def _neighbours(text: str) -> tuple[list[str], list[str]]:
    """The characters before and after each ``{...}``."""
    found = list(re.finditer(r"\{[^{}]*\}", text))
    return [text[: m.start()][-1:] for m in found], [text[m.end() :][:1] for m in found]


def _stands_alone(before: str, after: str) -> bool:
    """Whether a ``{...}`` is an operand of its own, not part of a word or a call."""
    return before in "+-*/%(," and after in "+-*/%),"


def _parse(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise NotInline from None
