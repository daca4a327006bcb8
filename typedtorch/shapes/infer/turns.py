"""A loop over items that are known one by one: what is found in each turn, and what changes the items.

``for shape in [[3, 8], [3, 8, 8]]``: a branch of which it is not known whether this item leads to it may be
that of another one, as where it depends on the item in a way that cannot be seen.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from typedtorch.shapes.findings import Finding
from typedtorch.shapes.infer.frame import Frame, Reporter
from typedtorch.shapes.infer.index import MUTATORS
from typedtorch.shapes.infer.values import Sequence, Value
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
    name = through.func if isinstance(through, ast.Call) else None
    in_step = isinstance(through, ast.Call) and isinstance(name, ast.Name) and name.id in _IN_STEP
    for source in through.args if isinstance(through, ast.Call) and in_step else [through]:
        read, moved = _in_body(node) if isinstance(source, (ast.Name, ast.Attribute)) else ((), ())
        if ast.dump(source) in moved:
            return True
        if isinstance(source, ast.Name) and source.id in read:
            value = frame.lookup(source.id)
            if isinstance(value, Sequence) and value.kind == "iterator":
                return True
    return False


_IN_STEP = frozenset({"enumerate", "zip", "reversed", "iter"})


@lru_cache(maxsize=4096)  # a body is run many times
def _in_body(node: ast.For | ast.AsyncFor) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a body reads, and the lists whose items it adds or takes away."""
    inside = [n for statement in node.body for n in walk(statement)]
    read = (n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    called = (n.func for n in inside if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute))
    return frozenset(read), frozenset(ast.dump(f.value) for f in called if f.attr in MUTATORS)
