"""What tests say of sizes that have a limit: of those that may be 0, or 1, and of integers below 0."""

from __future__ import annotations

import ast

from typedtorch.shapes.infer.conditions.places import look, read_place, write_place
from typedtorch.shapes.infer.conditions.solving import equate
from typedtorch.shapes.infer.expressions.comparing import at_most
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.values import is_size
from typedtorch.shapes.size import Poly, as_poly, atoms, is_unknown, unknown

# Whether a comparison that holds, or that does not, says that its left side is below the right one.
_BELOW: dict[type[ast.cmpop], bool] = {ast.Lt: True, ast.LtE: True, ast.Gt: False, ast.GtE: False}

_EXACT = (ast.Add, ast.Sub, ast.Mult)


def counts(test: ast.expr) -> bool:
    """``n``, ``x.shape[0]``, ``len(x)``, ``x.numel()``"""
    match test:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name in ("len", "numel", "nelement", "size")
    return isinstance(test, (ast.Name, ast.Subscript))


def is_of_counts(frame: Frame, test: ast.expr) -> bool:
    """Whether a test asks how large known sizes are, and nothing else: ``x.shape[1] > 512``, ``len(x)``."""
    if isinstance(test, ast.Compare):
        ordering = all(isinstance(op, tuple(_BELOW)) for op in test.ops)
        return ordering and all(_is_known(frame, side) for side in (test.left, *test.comparators))
    return counts(test) and _is_known(frame, test)


def _is_known(frame: Frame, node: ast.expr) -> bool:
    """Whether a node is a number, a size, or a sum or product of them: all that it asks about is in it."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, _EXACT) and _is_known(frame, node.left) and _is_known(frame, node.right)
    if not isinstance(node, (ast.Constant, ast.Name, ast.Attribute)) and not counts(node):
        return False
    value = look(frame, node)
    return is_size(value) and not is_unknown(value)


def below(frame: Frame, left: ast.expr, op: ast.cmpop, right: ast.expr, positive: bool) -> None:
    """Note what a comparison says of its left side."""
    if isinstance(op, tuple(_BELOW)) and _BELOW[type(op)] is positive:
        _perhaps_negative(frame, left, right)
    _perhaps_one(frame, left, _most(op, right, positive))


def _perhaps_negative(frame: Frame, place: ast.expr, bound: ast.expr) -> None:
    """``if lag < 0``: sizes are taken to be at least zero, so this integer is no longer one."""
    if isinstance(bound, ast.Constant) and bound.value == 0 and isinstance(read_place(frame, place), Poly):
        write_place(frame, place, unknown(f"?{frame.place(place)}"))


def _most(op: ast.cmpop, limit: ast.expr, positive: bool) -> int | None:
    if isinstance(limit, ast.Constant) and type(limit.value) is int:
        return at_most(op, limit.value, positive)
    return None


def _perhaps_one(frame: Frame, place: ast.expr, most: int | None) -> None:
    """``out.sum(1) if k > 1 else out.view(n, d)``: an axis of a size that is at most one may be left out.

    What is at most 0 is 0.
    """
    size = frame.evaluate(place) if most in (0, 1) else None
    if most == 0 and isinstance(size, Poly) and all(atom.kind == "axis" for atom in atoms(size)):
        equate(frame, size, 0)  # an axis is never negative, as an integer of the program may be
        return
    found = atoms(size) if isinstance(size, Poly) else frozenset()
    for atom in found if len(found) == 1 else ():
        if size == as_poly(atom):
            frame.state.equate(atom, unknown(f"?{frame.place(place)}"))
