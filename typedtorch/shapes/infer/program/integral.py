"""Variables of a function that are integers wherever it assigns them, as its text shows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Set

from typedtorch.shapes.infer.program.class_text import Def
from typedtorch.shapes.syntax import walk


def integral_names(definition: Def, integral: Callable[[ast.expr, Set[str]], bool]) -> Set[str]:
    """Names that ``definition`` gives nothing but integers; ``integral`` says it of an expression.

    ``n = x.shape[0]``, ``b, t = x.shape``, ``for i in range(n)`` and parameters annotated ``int``.  What is
    given a name in any other way may be anything.
    """
    arguments = definition.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    known = {a.arg for a in every if isinstance(a.annotation, ast.Name) and a.annotation.id == "int"}
    given = list(_given(definition))
    other = {a.arg for a in (*every, arguments.vararg, arguments.kwarg) if a is not None} - known
    names = {name for name, _ in given} - other | known
    while True:
        wrong = {name for name, value in given if name in names and not _is(value, names, integral)}
        if not wrong:
            return names
        names -= wrong


def _is(value: ast.expr | None, names: Set[str], integral: Callable[[ast.expr, Set[str]], bool]) -> bool:
    return value is not None and integral(value, names)


_ONE = ast.Constant(1)


def _given(definition: Def) -> Iterator[tuple[str, ast.expr | None]]:
    """Each name that is assigned, with what it is given; None where that may be anything."""
    plain: set[int] = set()
    for node in walk(definition):
        match node:
            case (
                ast.Assign(targets=[ast.Name() as name], value=value)
                | ast.AnnAssign(target=ast.Name() as name, value=ast.expr() as value)
            ):
                plain.add(id(name))
                yield name.id, value
            case ast.AugAssign(target=ast.Name(id=named) as name, op=op, value=value):
                plain.add(id(name))
                yield named, ast.BinOp(ast.Name(named, ast.Load()), op, value)
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=value) if _sizes(value):
                for part in parts:
                    if isinstance(part, ast.Name):
                        plain.add(id(part))
                        yield part.id, _ONE
            case ast.For(target=ast.Name() as name, iter=ast.Call(func=ast.Name(id="range"))):
                plain.add(id(name))
                yield name.id, _ONE
    for node in walk(definition):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in plain:
            yield node.id, None


def _sizes(node: ast.expr) -> bool:
    """``x.shape``, part of it, or ``x.size()``."""
    match node:
        case ast.Subscript(value=inner, slice=ast.Slice()):
            return _sizes(inner)
        case ast.Call(func=ast.Attribute(attr="size"), args=[], keywords=[]):
            return True
    return isinstance(node, ast.Attribute) and node.attr == "shape"
