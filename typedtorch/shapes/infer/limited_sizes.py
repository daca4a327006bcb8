"""What tests say of sizes that have a limit: of those that may be 0, or 1, and of integers below 0."""

from __future__ import annotations

import ast

from typedtorch.shapes.infer.comparing import at_most
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.places import read_place, write_place
from typedtorch.shapes.infer.solving import equate
from typedtorch.shapes.size import Poly, as_poly, atoms, unknown

# Whether a comparison that holds, or that does not, says that its left side is below the right one.
_BELOW: dict[type[ast.cmpop], bool] = {ast.Lt: True, ast.LtE: True, ast.Gt: False, ast.GtE: False}


def counts(test: ast.expr) -> bool:
    """``n``, ``x.shape[0]``, ``len(x)``, ``x.numel()``"""
    match test:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name in ("len", "numel", "nelement", "size")
    return isinstance(test, (ast.Name, ast.Subscript))


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
