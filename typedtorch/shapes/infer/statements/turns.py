"""What is found in each turn of a loop, and what changes the items that it goes through.

``for shape in [[3, 8], [3, 8, 8]]``: a branch of which it is not known whether this item leads to it may be
that of another one, as where it depends on the item in a way that cannot be seen.
``for layer in layers: x = layer(x) if isinstance(layer, Up) else ...``: nor does the first item have to.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from typedtorch.shapes.findings import Finding
from typedtorch.shapes.infer.frame import Frame, Loop, Reporter
from typedtorch.shapes.infer.program.index import MUTATORS
from typedtorch.shapes.infer.values.values import Sequence, Value
from typedtorch.shapes.syntax import walk

_Key = tuple[int, int, str]


class Turns:
    """Keeps the findings of each turn apart until the loop is done."""

    def __init__(self, reporter: Reporter) -> None:
        self.reporter = reporter
        self.before = reporter.findings, reporter.perhaps, reporter.undecided
        self.done: list[tuple[dict[_Key, Finding], set[_Key]]] = []

    def begin(self) -> None:
        """The next item."""
        reporter = self.reporter
        reporter.findings, reporter.perhaps, reporter.undecided = {}, set(), 0
        self.done.append((reporter.findings, reporter.perhaps))

    def end(self) -> None:
        """What may not be reached in a turn counts only where it is wrong in every turn."""
        found, perhaps, undecided = self.before
        for turn, doubtful in self.done:
            for key, finding in turn.items():
                if key in doubtful and not all(key in other for other, _ in self.done):
                    continue
                if finding.severity == "note":
                    found[key] = finding
                elif key not in found:
                    found[key] = finding
                    perhaps.update({key} if undecided else ())
        reporter = self.reporter
        reporter.findings, reporter.perhaps, reporter.undecided = found, perhaps, undecided


@contextmanager
def choosing(frame: Frame, node: ast.stmt | ast.expr) -> Iterator[None]:
    """While the branches of a test run: of which items of a loop it holds is not known."""
    reporter = frame.reporter
    loops: list[Loop] = []
    if isinstance(node, (ast.If, ast.IfExp)) and frame.loops and not reporter.muted:
        names = {n.id for n in walk(node.test) if isinstance(n, ast.Name)}
        loops = [loop for loop in frame.loops if not loop.targets.isdisjoint(names)]
    known = set(reporter.findings) if loops else set()
    yield
    for key in reporter.findings.keys() - known if loops else ():
        if _is_doubtful(node, key[:2]):
            for loop in loops:
                loop.doubtful.add(key)


def _is_doubtful(node: ast.stmt | ast.expr, place: tuple[int, int]) -> bool:
    """Whether the first item may not lead to a place in a fork."""
    parts: list[ast.stmt] | list[ast.expr] | list[ast.stmt | ast.expr] = [node]
    if isinstance(node, (ast.If, ast.IfExp)) and _of_the_first(node.test):
        parts = [node.orelse] if isinstance(node, ast.IfExp) else node.orelse
    if not parts:
        return False
    last = parts[-1]
    end = last.end_lineno or last.lineno, last.end_col_offset or 0
    return (parts[0].lineno, parts[0].col_offset) <= place <= end


def _of_the_first(test: ast.expr) -> bool:
    """``i == 0``, ``not i``"""
    match test:
        case ast.Compare(left=ast.Name(), ops=[ast.Eq()], comparators=[ast.Constant(value=0)]):
            return True
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name()):
            return True
    return False


def retract(reporter: Reporter, loop: Loop) -> None:
    """Another turn will tell: what was found in the first, where the first item may not lead."""
    for key in loop.doubtful & reporter.findings.keys():
        if reporter.findings[key].severity != "note":
            del reporter.findings[key]


def bound_names(target: ast.expr) -> frozenset[str]:
    """The names that a loop binds in each turn."""
    return frozenset(n.id for n in ast.walk(target) if isinstance(n, ast.Name))


class Held:
    """The items that a loop goes through, kept with its variables: what changes one of them in place is seen.

    One tensor may be several of them.
    """

    def __init__(self, frame: Frame, place: str, items: list[Value]) -> None:
        self._frame, self._name, self._items = frame, f"<items {place}>", items
        frame.state.variables[self._name] = tuple(items)

    def item(self, turn: int) -> Value:
        """The item of a turn, as it is by now."""
        now = self._frame.state.variables.get(self._name)
        return now[turn] if isinstance(now, tuple) else self._items[turn]

    def drop(self) -> None:
        """The loop is over."""
        self._frame.state.variables.pop(self._name, None)


def moves(frame: Frame, node: ast.For | ast.AsyncFor) -> bool:
    """Whether a body changes how many items its loop goes through.

    It adds to the list (``for x in xs: xs.append(y)``), or asks the iterator for more than the loop does.
    """
    through = node.iter
    called = through.func if isinstance(through, ast.Call) else None
    in_step = isinstance(through, ast.Call) and isinstance(called, ast.Name) and called.id in _IN_STEP
    read, moved = _in_body(node)
    for source in through.args if isinstance(through, ast.Call) and in_step else [through]:
        if not isinstance(source, (ast.Name, ast.Attribute)):
            continue
        if any(ast.dump(source) == _as_read(other) for other in moved):
            return True
        if not isinstance(source, ast.Name) or not isinstance(value := frame.lookup(source.id), Sequence):
            continue
        if value.kind == "iterator" and source.id in read:
            return True
        names = (other.id for other in moved if isinstance(other, ast.Name))
        if any(frame.lookup(name) is value for name in names):
            return True
    return False


_IN_STEP = frozenset({"enumerate", "zip", "reversed", "iter"})


@lru_cache(maxsize=4096)  # a body is run many times
def _in_body(node: ast.For | ast.AsyncFor) -> tuple[frozenset[str], tuple[ast.expr, ...]]:
    """The names that a body reads, and the lists whose items it adds or takes away."""
    inside = [n for statement in node.body for n in walk(statement)]
    read = (n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return frozenset(read), tuple(moved for n in inside for moved in _resized(n))


def _resized(node: ast.AST) -> Iterator[ast.expr]:
    """The lists to which a node adds items, or of which it takes some away."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in MUTATORS:
            yield value
        case ast.AugAssign(target=ast.Name() | ast.Attribute() as target):
            yield target
        case ast.Subscript(value=value, ctx=ast.Del()):
            yield value
        case ast.Subscript(value=value, slice=ast.Slice(), ctx=ast.Store()):
            yield value


def _as_read(node: ast.expr) -> str:
    return ast.dump(node).replace("ctx=Store()", "ctx=Load()")
