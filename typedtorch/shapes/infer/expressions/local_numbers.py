"""Numbers that only running tells, kept in a variable: ``longest = int(lengths.max())``.

It is not known which number, but it is one: ``zeros(longest + 1) + arange(longest)`` is wrong.  It may well
be an axis, as the longest sequence of a batch usually fills it, so it is told from others that are counted,
and from no axis.
"""

from __future__ import annotations

import ast

from typedtorch.shapes.infer.conditions import proven
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.contents import sizes_in
from typedtorch.shapes.infer.values.values import Value
from typedtorch.shapes.ones import LENGTH_SCOPE
from typedtorch.shapes.scopes import ITEM_SCOPE, LOCAL_SCOPE
from typedtorch.shapes.size import Atom, Poly, Size, atoms, integer


def kept_as(frame: Frame, name: str, value: Value, source: ast.expr) -> Value:
    """What a variable holds: a number of its own where one that is not known was made for it."""
    if not isinstance(value, Poly) or frame.depth or len(frame.loops) > 1:
        return value  # a call may be one of several, and so is a turn of an inner loop
    if isinstance(source, (ast.Name, ast.Attribute, ast.Subscript, ast.IfExp, ast.NamedExpr)):
        return value
    own = atoms(value)
    if any(a.kind != "opaque" or a.operands or a.scope or not _made_here(a.name, source) for a in own):
        return value
    held = [sizes_in(other) for other in (*frame.state.variables.values(), *frame.state.names.sizes.values())]
    if not own.isdisjoint(frozenset().union(*held)):
        return value  # an axis of something
    made = integer(name, f"{LOCAL_SCOPE}{frame.place(source)}")
    return proven.made_of(made, frozenset[Atom]().union(*(atom.made_of for atom in own)))


def _made_here(name: str, source: ast.expr) -> bool:
    """Whether an unknown size has no place, or one in an expression."""
    line, _, column = name[1:].partition(":")
    if not column:
        return name[1:].isdigit()
    first, last = source.lineno, source.end_lineno or source.lineno
    return line.isdigit() and column.isdigit() and first <= int(line) <= last


def only_counted(size: Size) -> bool:
    """Whether a size is made of such numbers, and of how many items lists have."""
    return all(a.scope.startswith((LOCAL_SCOPE, LENGTH_SCOPE)) for a in atoms(size))


def may_be_an_axis(a: Size, b: Size) -> bool:
    """Whether one of two sizes is such a number, or of an item of a list, and the other anything but one."""
    scopes = {atom.scope for size in (a, b) for atom in atoms(size)}
    if any(scope.startswith(ITEM_SCOPE) for scope in scopes):
        return len(scopes) > 1 or isinstance(a, int) or isinstance(b, int)
    local = any(scope.startswith(LOCAL_SCOPE) for scope in scopes)
    return local and not (only_counted(a) and only_counted(b))


__all__ = ["kept_as", "may_be_an_axis", "only_counted"]
