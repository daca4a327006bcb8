"""``assert x.shape == (b, 3)``, where no run can get past it.

What an ``assert`` says of a shape is believed from there on.  Only numbers are held against each other, and
sizes that differ by a number: two axes of different names may well be as long as each other.  Where the body
takes windows of some length, the last of them may be shorter.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from typedtorch.shapes.equality import observe
from typedtorch.shapes.infer.conditions import refine
from typedtorch.shapes.infer.conditions.equated import rank_of
from typedtorch.shapes.infer.conditions.places import look, shape_read
from typedtorch.shapes.infer.expressions.comparing import truth
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Choice,
    DictV,
    External,
    Instance,
    Object,
    Sequence,
    Tensor,
    Value,
    is_size,
)
from typedtorch.shapes.scopes import STATED_SCOPE
from typedtorch.shapes.size import Poly, atoms, axis, is_unknown
from typedtorch.shapes.syntax import walk
from typedtorch.shapes.taken import windows
from typedtorch.shapes.tensor import Pack, show

_CLOSE = External("torch.testing.assert_close")
_METHODS = {"assertEqual", "assertTupleEqual", "assertEquals"}


def assert_(frame: Frame, node: ast.Assert) -> bool:
    """``assert``: from here on the condition holds, if it can."""
    for part in _parts(node.test):
        for pair in _compared(part):
            _check(frame, pair)
            _tell(frame, pair)
        earlier = frame.state.tests
        then, _ = refine.branch(frame, part)
        if then is None:
            return False
        then.tests = earlier
        frame.state = then
    return True


def _tell(frame: Frame, test: ast.Compare) -> None:
    """Who weighs what an axis may be is to know that it is a number: ``assert x.shape[0] == 1``."""
    if not frame.reporter.muted or not isinstance(test.ops[0], ast.Eq):
        return
    one, other = look(frame, test.left), look(frame, test.comparators[0])
    for size, number in ((one, other), (other, one)):
        if isinstance(size, Poly) and type(number) is int:
            for atom in atoms(size):
                if atom.kind == "axis" and not atom.scope:
                    observe(axis(atom.name, STATED_SCOPE), number)


def check_equal(frame: Frame, call: ast.Call) -> None:
    """``self.assertEqual(x.shape, (b, 3))`` of a test case, ``torch.testing.assert_close(x, y)``."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=[a, b, *_]):
            if name in _METHODS:
                _check(frame, ast.copy_location(ast.Compare(a, [ast.Eq()], [b]), call))
        case ast.Call(
            func=(ast.Attribute(attr="assert_close") | ast.Name(id="assert_close")), args=[a, b, *_]
        ):
            _check_close(frame, call, a, b)


def _check_close(frame: Frame, call: ast.Call, *given: ast.expr) -> None:
    if frame.reporter.muted:
        return
    function, a, b = (look(frame, node) for node in (call.func, *given))
    if function == _CLOSE and isinstance(a, Tensor) and isinstance(b, Tensor) and _differ(a.shape, b.shape):
        if _may_be_cut_off(a.shape, b.shape, a) or _may_be_cut_off(b.shape, a.shape, b):
            return
        shapes = " and ".join(f"{source(n)} {show(v.shape)}" for n, v in zip(given, (a, b), strict=True))
        frame.reporter.add(call, "shape", f"assert_close never holds: it needs equal shapes, got {shapes}")


def _parts(test: ast.expr) -> Iterator[ast.expr]:
    """What must hold, one after the other."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from _parts(value)
    else:
        yield test


def _compared(test: ast.expr) -> Iterator[ast.Compare]:
    """``a == b`` and ``b == c`` of ``a == b == c``."""
    if isinstance(test, ast.Compare):
        pairs = zip([test.left, *test.comparators], test.ops, test.comparators, strict=False)
        for left, sign, right in pairs:
            yield ast.copy_location(ast.Compare(left, [sign], [right]), test)


_NO_SIZES = (DictV, Instance, Object)


def _check(frame: Frame, test: ast.Compare) -> None:
    if frame.state.names.spread:  # it may be what says that the run has no axes
        return
    if frame.reporter.muted:
        return
    left, right = test.left, test.comparators[0]
    subject = _subject(left) or _subject(right)
    if subject is None or (isinstance(subject, ast.Attribute) and subject.attr == "data"):
        return  # other data may have been put in its place, which is why it is asked for
    tensor, a, b = (look(frame, node) for node in (subject, left, right))
    if _is_left_open(subject, tensor):
        tensor, a, b = (look(frame, node, aloud=True) for node in (subject, left, right))
    if isinstance(tensor, Choice):  # None has no shape: x.grad.shape
        given = [option for option in tensor.options if option is not None]
        tensor = given[0] if len(given) == 1 else UNKNOWN
    listed = isinstance(left, ast.List) and isinstance(b, tuple)
    listed |= isinstance(right, ast.List) and isinstance(a, tuple)
    never = isinstance(test.ops[0], ast.Eq) and (listed or _differ(a, b))
    if not isinstance(tensor, Tensor) or not (never or truth(look(frame, test)) is False):
        return
    if isinstance(a, _NO_SIZES) or isinstance(b, _NO_SIZES):
        return  # annotated otherwise than it is
    if not listed and _may_be_cut_off(*((a, b) if subject is _subject(left) else (b, a)), tensor):
        return
    said = f"{source(test)} never holds: {source(subject)} has shape {show(tensor.shape)}"
    frame.reporter.add(test, "shape", said, "a shape equals a tuple, never a list" if listed else None)


def _is_left_open(subject: ast.expr, tensor: Value) -> bool:
    """Whether a signature does not say a size of what a call gives: its body may."""
    if not isinstance(tensor, Tensor) or not any(
        not isinstance(e, Pack) and is_unknown(e) for e in tensor.shape
    ):
        return False
    return any(isinstance(node, ast.Call) for node in walk(subject))


def _subject(node: ast.expr) -> ast.expr | None:
    """The tensor whose shape, size or number of axes an expression is."""
    match node:
        case ast.Subscript(value=whole, slice=ast.Constant() | ast.UnaryOp() | ast.Slice()):
            return shape_read(whole)
        case ast.Call(func=ast.Attribute(value=subject, attr="size"), args=[_]):
            return subject
        case ast.Call(func=ast.Name(id="tuple" | "list"), args=[whole], keywords=[]):
            return shape_read(whole)
    return shape_read(node) or rank_of(node)


def _may_be_cut_off(own: Value, other: Value, tensor: Tensor) -> bool:
    """Whether what a tensor has may compare so where a window in it is shorter than the others."""
    if isinstance(own, tuple) and isinstance(other, tuple):
        pairs = [(x, y) for x, y in zip(own, other, strict=False) if _differ(x, y)]
        return (
            len(own) == len(other) and bool(pairs) and all(_may_be_cut_off(*pair, tensor) for pair in pairs)
        )
    if not isinstance(own, int) or not isinstance(other, int) or own not in tensor.shape or other > own:
        return False
    return any(own % w == 0 and (w > 1 or own == 1) for w in windows())


def _differ(a: Value, b: Value) -> bool:
    """Whether two values are certainly not equal."""
    if is_size(a) and is_size(b):
        difference = a - b
        return isinstance(difference, int) and difference != 0
    if isinstance(a, tuple) and isinstance(b, tuple):
        open_a, open_b = (any(isinstance(e, Pack) for e in shape) for shape in (a, b))
        if not open_a and not open_b:
            return len(a) != len(b) or any(map(_differ, a, b))
        least, most = (a, b) if open_a else (b, a)
        return open_a is not open_b and sum(not isinstance(e, Pack) for e in least) > len(most)
    if isinstance(a, Sequence) and isinstance(b, Sequence):
        lists = a.kind == b.kind == "list" and a.items is not None and b.items is not None
        return lists and _differ(a.items, b.items)
    return False
