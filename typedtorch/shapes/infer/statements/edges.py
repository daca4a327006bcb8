"""Forks on whether a turn of a loop is its first or its last: what follows, on either way.

``after = last if t == T - 1 else values[t + 1]``: every loop of more than one turn goes both ways, and
which one it is says nothing of any size.  So what a turn makes of either is wrong if it is refused, as far
as nothing that an earlier turn has left goes into it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence, Set

from typedtorch.shapes.infer.conditions import refine
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.statements.both_ways import branches_of
from typedtorch.shapes.infer.values.values import ClassV, External, FunctionV, Scalar, Tensor, is_size
from typedtorch.shapes.syntax import walk

Run = Callable[[Frame, Sequence[ast.stmt]], bool]
_OF_FIRST, _OF_LAST = (ast.Eq, ast.NotEq, ast.Gt), (ast.Eq, ast.NotEq, ast.Lt, ast.GtE)
_ASSIGNED = (ast.Assign, ast.AugAssign, ast.AnnAssign)
_ELSEWHERE = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr, ast.Lambda, ast.IfExp, ast.BoolOp)


def check(frame: Frame, body: Sequence[ast.stmt], at: int, run: Run) -> None:
    """Report what is wrong behind a fork of a loop's body on one of its two ways."""
    if frame.depth or frame.reporter.muted or frame.function is None:
        return
    branches = branches_of(body[at])
    if not isinstance(branches, ast.If) or not branches.orelse:
        return
    if not _is_of_an_edge(frame, frame.function.node, branches.test):
        return
    tail = _of_this_turn(frame, body, at, [*branches.body, *branches.orelse])
    if not tail:
        return
    before, counting, frame.reporter.counting = frame.state, frame.reporter.counting, False
    steps = frame.interpreter.steps  # left to what is run once more
    with frame.reporter.mute():
        ways = refine.branch(frame, branches.test)
    for state, arm in zip(ways, (branches.body, branches.orelse), strict=True):
        if state is None or None in ways:  # which turn it is, is known
            continue
        frame.state = state
        with frame.reporter.mute():
            reached = run(frame, arm)
        if reached:
            run(frame, tail)
    frame.reporter.counting, frame.state, frame.interpreter.steps = counting, before, steps


def _is_of_an_edge(frame: Frame, function: ast.AST, test: ast.expr) -> bool:
    """``t == 0``, ``t > 0``, ``t < T - 1`` of ``for t in range(T)``, which may be reversed."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            turn, turns = _turns(frame.loops[-1].body, function)
            if turn is None or turns is None:
                return False
            with frame.reporter.mute():
                t, count, a, b = (frame.evaluate(node) for node in (turn, turns, left, right))
            if not (is_size(t) and is_size(count) and is_size(a) and is_size(b)) or isinstance(t, int):
                return False
            ahead = a - b
            return (isinstance(op, _OF_FIRST) and ahead == t) or (
                isinstance(op, _OF_LAST) and ahead == t - count + 1
            )
    return False


def _turns(body: Sequence[ast.stmt], function: ast.AST) -> tuple[ast.expr | None, ast.expr | None]:
    """What counts the turns of a loop of a function, and how many there are."""
    for node in walk(function):
        if isinstance(node, ast.For) and node.body is body:
            match node.target, node.iter:
                case (
                    ast.Name() as turn,
                    ast.Call(func=ast.Name(id="range"), args=[count])
                    | ast.Call(
                        func=ast.Name(id="reversed"),
                        args=[ast.Call(func=ast.Name(id="range"), args=[count])],
                    ),
                ):
                    return ast.Name(turn.id, ast.Load()), count
    return None, None


def _of_this_turn(
    frame: Frame, body: Sequence[ast.stmt], at: int, arms: Sequence[ast.stmt]
) -> Sequence[ast.stmt]:
    """The statements right behind a fork into which nothing goes that an earlier turn has left."""
    changed, own = _stored(body), set(frame.loops[-1].targets)
    for statement in body[:at]:
        if _is_fresh(frame, statement, changed, own):
            own |= _stored([statement])
    if not all(_is_fresh(frame, statement, changed, own) for statement in arms):
        return ()
    own |= _stored(arms)
    for i, statement in enumerate(body[at + 1 :], at + 1):
        if not _is_fresh(frame, statement, changed, own):
            return body[at + 1 : i]
        own |= _stored([statement])
    return body[at + 1 :]


def _stored(statements: Iterable[ast.stmt]) -> set[str]:
    named = [n for statement in statements for n in walk(statement) if isinstance(n, ast.Name)]
    return {n.id for n in named if not isinstance(n.ctx, ast.Load)}


def _is_fresh(frame: Frame, statement: ast.stmt, changed: Set[str], own: Set[str]) -> bool:
    """Whether an assignment reads what this turn has made, or what no turn changes."""
    nodes = walk(statement)
    if not isinstance(statement, _ASSIGNED) or any(isinstance(node, _ELSEWHERE) for node in nodes):
        return False
    read = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        read.append(statement.target.id)
    return all(name in own or (name not in changed and _is_plain(frame, name)) for name in read)


def _is_plain(frame: Frame, name: str) -> bool:
    value = frame.lookup(name)
    return is_size(value) or isinstance(value, (Tensor, Scalar, float, bool, External, FunctionV, ClassV))


__all__ = ["check"]
