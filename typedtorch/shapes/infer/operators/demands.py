"""What an operator demands of sizes that may be equal or not: to be one, or not to be."""

from __future__ import annotations

import ast
from typing import Any

from typedtorch.shapes.differences import only_rounding
from typedtorch.shapes.equality import (
    distinct,
    is_argument,
    is_name,
    name_against_number,
    observing,
    of_another,
    unobserved,
)
from typedtorch.shapes.infer.expressions.local_numbers import may_be_an_axis
from typedtorch.shapes.infer.operators.ties import Ties, halved, lasting, sides
from typedtorch.shapes.infer.values.values import (
    Tensor,
    Value,
    is_size,
)
from typedtorch.shapes.ones import counts_items
from typedtorch.shapes.rule import Function
from typedtorch.shapes.rule import call as call_rule
from typedtorch.shapes.scopes import (
    GIVEN_SCOPE,
    HELD_SCOPE,
    INSTANCE_SCOPE,
    INTEGER_SCOPE,
    LINKED_SCOPE,
    bare,
)
from typedtorch.shapes.size import Size, atoms, from_dict, is_counted, is_unknown
from typedtorch.shapes.tensor import ShapeError, promised


def tie(
    ties: Ties,
    function: Function,
    given: tuple[Value, ...],
    named: dict[str, Value],
    met: list[tuple[Size, Size]],
    node: ast.AST,
) -> tuple[Size, Size] | None:
    """Note which of the sizes that met must be equal; a pair that cannot be, if there is one.

    What one operator demands at once is not held against each other: ``(q, k) + (n, n)`` is a
    square whose annotation says too little.
    """
    demanded = []
    for a, b in dict.fromkeys(met):
        if not _told(a, b):
            ties.meet_as_one(a, b)
            continue
        if ties.known(a, b):
            continue
        if not _demanded(function, given, named, a, b):
            continue
        if ties.conflict(a, b) is not None:
            return a, b
        demanded.append((a, b))
    for a, b in demanded:
        ties.add(a, b, getattr(node, "lineno", 0))
    return None


def _told(*sizes: Size) -> bool:
    """Whether two sizes may be told apart: names, what a mask chose, passed integers and parts of these.

    An integer of the program may be any number: one unpacked is as many as the channels are.
    """
    number = any(isinstance(size, int) for size in sizes)
    return all(
        lasting(size) or is_counted(size) or (is_argument(halved(size)) and not number) for size in sizes
    )


def _demanded(
    function: Function, given: tuple[Value, ...], named: dict[str, Value], a: Size, b: Size
) -> bool:
    """Whether an operator works only where two sizes are equal."""
    with distinct([(a, b)]), unobserved():
        try:
            call_rule(function, given, named)
        except ShapeError:
            return True
    return False


def reason(ties: Ties, a: Size, b: Size) -> str | None:
    """Where one of two sizes was taken for something that the other is not."""
    found = ties.conflict(a, b)
    if found is None:
        return None
    for size, other, opposite in ((a, found[0], b), (b, found[1], a)):
        line = ties.line(size, other)
        if line is not None:
            if str(a) != str(b):
                return f"{_whose(size)} is {_whose(other)} on line {line}"
            both = f"{_whose(other)} (line {line}) and {_whose(opposite)} (here)"
            return f"{_whose(size)} must equal {both}, but {found[0]} and {found[1]} are two different axes"
    return None


def _whose(size: Size) -> str:
    """A size by its name, and whose it is where it belongs to an object."""
    holders = {HOLDERS.get(bare(a.scope), a.scope) for a in atoms(size) if a.kind == "axis"}
    holder = holders.pop() if len(holders) == 1 else ""
    return f"{size} of {holder}" if holder.isidentifier() else str(size)


def met_before(ties: Ties, a: Size, b: Size) -> tuple[Size, Size, int] | None:
    """Which of two sizes of one name had to be a size that the other is not, and on which line."""
    found = ties.conflict(a, b)
    for size, other in zip((a, b), found or (), strict=False):
        line = ties.line(size, other)
        if line is not None:
            return size, other, line
    return None


# what the scopes of axes are called in messages; any other is the name of a parameter
HOLDERS = {HELD_SCOPE: "self", INSTANCE_SCOPE: "", INTEGER_SCOPE: "", LINKED_SCOPE: "", GIVEN_SCOPE: ""}


def apply(
    function: Function,
    given: tuple[Value, ...],
    named: dict[str, Value],
    ties: Ties,
    met: list[tuple[Size, Size]] | None = None,
) -> Value:
    """A rule; two sizes that may be tied unsaid count as different where one operand has both.

    ``(b, 128) + (128, b)``: the name may stand for the number, but then not as another axis of the
    same tensor; ``(b, h, n, d//h) @ (b, h, n, d//h)``: likewise n and d//h.  Not so where the two were
    taken for one before, or bear one name in two objects: ``f @ self.cov @ f.T``.
    """
    met = [] if met is None else met
    with observing(lambda a, b: met.append((a, b))):
        result = call_rule(function, given, named)
    if not met:
        return result
    listed = [v for group in given if isinstance(group, (list, tuple)) for v in group]
    shapes = [v.shape for v in (*given, *listed) if isinstance(v, Tensor)]
    shapes += [v for v in given if isinstance(v, tuple)]
    shapes.append(tuple(v for v in given if is_size(v)))  # x.expand(b, n, d)
    misaligned = [
        (a, b)
        for a, b in met
        if _known(a, b)
        and _known(b, a)
        and not _may_be_one(a, b)
        and not _of_a_square(a - b)
        and not _beside_a_square(a, b, shapes)
        and str(a) != str(b)
        and not ties.known(a, b)
        and not ties.met_as_one(a, b)
        and any(a in shape and b in shape for shape in shapes)
        and _shared([size for size in (a, b) if promised(size)[0]], shapes)
    ]
    if not misaligned:
        return result
    with distinct(misaligned):
        return call_rule(function, given, named)


def _known(size: Size, other: Size) -> bool:
    """Whether it is known which size this is, if not how much: what a mask chose, what a result promises."""
    if not is_unknown(size) or is_counted(size):
        return True
    call, _ = promised(size)
    return bool(call) and promised(other)[0] in (call, "")


def _shared(sizes: list[Size], shapes: list[Any]) -> bool:
    """Whether two operands have one of these axes: what only one has may be that of an argument."""
    return not sizes or any(sum(size in shape for shape in shapes) > 1 for size in sizes)


def _of_a_square(difference: Size) -> bool:
    """Whether two sizes differ by height and width of a tensor that nothing is said of: a square, perhaps."""
    if isinstance(difference, int) or len(difference.terms) != 2:
        return False
    first, second = (from_dict({monomial: 1}) for monomial, _ in difference.terms)
    return sides(first, second) and all(atom.kind == "int" and atom.scope for atom in atoms(difference))


def _beside_a_square(a: Size, b: Size, shapes: list[Any]) -> bool:
    """Whether an object's axis meets one that another operand has twice: each point in each point's frame."""
    pairs = ((a, b), (b, a))
    return any(of_another(x) and any(shape.count(y) > 1 for shape in shapes) for x, y in pairs)


def _is_left_by(size: Size, divisor: Size) -> bool:
    """Whether a size is ``n//side`` for a ``side``."""
    return is_name(size) and any(a.kind == "floor" and a.operands[1] == divisor for a in atoms(size))


def _is_rest(size: Size) -> bool:
    """Whether a size is what names leave of a product of others: ``(inputs*outputs)//(heads*dim)``."""
    floors = [atom for atom in atoms(size) if atom.kind == "floor"] if is_name(size) else []
    return any(len(atoms(whole)) > 1 and bool(atoms(part)) for whole, part in (a.operands for a in floors))


def _may_be_one(a: Size, b: Size) -> bool:
    """Whether one size is a number and the other what a program counts or unpacks: it may be that number.

    A list may have as many items as its items have numbers: three axes make a rotation.  Beside an axis of 1,
    the axes of an object's tensors (the channels of an image in a batch of one) may be 1 as well.
    An axis that only a result names may be the number of another: three items of three features.
    ``n//2`` and ``n - n//2`` are the halves of what is meant to be even, ``side`` and ``n//side`` the
    sides of what may be a square.  What is left of a product is what its author knows.
    """
    if counts_items(a) or counts_items(b) or only_rounding(a - b) or may_be_an_axis(a, b):
        return True
    if _is_left_by(a, b) or _is_left_by(b, a) or _is_rest(a) or _is_rest(b):
        return True
    number, other = (a, b) if isinstance(a, int) else (b, a)
    if not isinstance(number, int):
        return False
    integers = is_counted(other) or any(atom.kind == "int" for atom in atoms(other))
    return integers or bool(promised(other)[0]) or (number == 1 and not name_against_number(other, 1))
