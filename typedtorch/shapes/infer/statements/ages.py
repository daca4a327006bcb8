"""Unknown sizes that arise in each turn of something: in the next, those of the same names are others."""

from __future__ import annotations

import ast
import re
from collections.abc import Set

from typedtorch.shapes.infer.values.contents import ONE_ITEM, Substitution, sizes_in
from typedtorch.shapes.infer.values.state import State
from typedtorch.shapes.infer.values.values import Value
from typedtorch.shapes.proofs import common
from typedtorch.shapes.scopes import ITEM_SCOPE, LOCAL_SCOPE
from typedtorch.shapes.size import Atom, Size, axis, integer, unknown
from typedtorch.shapes.tensor import Pack

# Where something arose, or where the call stands that it came from; behind ' in an earlier turn.
_PLACE = re.compile(r"(?:^\??|@)(\d+):[^@']*$")


def age(state: State, loop: ast.stmt, before: State, mark: str = "'") -> None:
    """Unknown sizes that arose in this turn of a loop are not those of the same names in the next."""
    first, last = _lines(loop)
    held = [sizes_in(v) for name, v in state.variables.items() if before.variables.get(name) is not v]
    found = frozenset[Atom | Pack]().union(*held, *map(sizes_in, state.names.sizes.values()))
    found |= frozenset(e for shape in state.names.packs.values() for e in shape if isinstance(e, Pack))
    sizes = {a: _aged(a, mark) for a in found if isinstance(a, Atom) and _arose(a, first, last)}
    state.proven = common((before.proven, state.proven))  # each turn proves its own
    state.ties = state.ties.without(lambda atom: _arose(atom, first, last))
    runs = {e: (Pack(e.name + mark),) for e in found if isinstance(e, Pack) and _arose(e, first, last)}
    if sizes or runs:
        state.substitute(Substitution(sizes, runs))


def _aged(atom: Atom, mark: str) -> Size:
    if atom.kind == "int" and ONE_ITEM in atom.scope:
        return unknown(f"?{atom.scope}{atom.name}{mark}")  # layers follow each other: (8, 4), (4, 2)
    if atom.kind == "int":
        return integer(atom.name, atom.scope + mark)
    if atom.kind == "axis" and atom.scope.startswith(ITEM_SCOPE):
        return unknown(f"?{atom.scope}{atom.name}{mark}")  # the last of a list may have an axis of 1 there
    return unknown(atom.name + mark) if atom.kind == "opaque" else axis(atom.name, atom.scope + mark)


def _arose(size: Atom | Pack, first: int, last: int) -> bool:
    """Whether something unknown, or an axis of an object that a call gave, arose on one of these lines."""
    if isinstance(size, Atom) and size.kind not in ("opaque", "axis") and not _is_made(size):
        return False
    place = _PLACE.search(size.scope if isinstance(size, Atom) and size.kind != "opaque" else size.name)
    return place is not None and first <= int(place.group(1)) <= last


def _is_made(atom: Atom) -> bool:
    """Whether an integer is no argument, but came to be where its scope says, or is an item read there."""
    return atom.kind == "int" and (atom.scope.startswith(("@", LOCAL_SCOPE)) or ONE_ITEM in atom.scope)


def aged(value: Value, node: ast.AST, mark: str, but: Set[Atom | Pack]) -> Value:
    """What an expression gives in one of its turns, as that of this turn alone; ``but`` is from before it."""
    first, last = _lines(node)
    sizes = {
        a: _aged(a, mark) for a in sizes_in(value) - but if isinstance(a, Atom) and _arose(a, first, last)
    }
    return Substitution(sizes)(value) if sizes else value


def _lines(node: ast.AST) -> tuple[int, int]:
    first = getattr(node, "lineno", 0)
    return first, getattr(node, "end_lineno", None) or first
