"""Flags that are tested more than once: what stands between the tests is looked at once for each outcome.

``if transposed: x = x.T`` and at the end ``return x.T if transposed else x``: behind the join of the first
``if`` nothing is known of ``x``, but on either way everything is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from typedtorch.shapes.infer.conditions import refine
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.state import State, join_states
from typedtorch.shapes.infer.values.values import Scalar
from typedtorch.shapes.syntax import walk

Run = Callable[[Frame, Sequence[ast.stmt]], bool]


def flag_of(frame: Frame, fork: ast.stmt, rest: Sequence[ast.stmt]) -> str | None:
    """The flag that a fork tests, where what follows tests it again and nothing gives it another value."""
    if frame.depth or frame.loops or frame.parted:
        return None
    test = getattr(fork, "test", None) or getattr(getattr(fork, "value", None), "test", None)
    flag = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
    if not isinstance(flag, ast.Name):
        return None
    value = frame.state.variables.get(flag.id)
    if not isinstance(value, Scalar) or value.kind != "bool" or not value.name or value.asks or value.proves:
        return None
    named = [n for s in rest for n in walk(s) if isinstance(n, ast.Name) and n.id == flag.id]
    tested = any(_tests(node, flag.id) for statement in rest for node in walk(statement))
    return flag.id if tested and all(isinstance(n.ctx, ast.Load) for n in named) else None


def _tests(node: ast.AST, flag: str) -> bool:
    test = getattr(node, "test", None)
    return test is not None and any(isinstance(n, ast.Name) and n.id == flag for n in walk(test))


def run_each(frame: Frame, fork: ast.If | ast.Assign, flag: str, rest: Sequence[ast.stmt], run: Run) -> bool:
    """Run a fork and all that follows it where the flag is true, and where it is not.

    What is known whichever it is, and shown, is seen on the join of its branches, as of any fork; what is
    wrong, on either way.
    """
    branches = branches_of(fork)
    assert isinstance(branches, ast.If)
    straight = not isinstance(branches.test, ast.UnaryOp)
    frame.parted, before = True, frame.state.copy()
    left = [(held, len(held)) for held in (frame.returns, frame.exits, frame.bound, frame.yields)]
    reported = [
        (found, found.keys() | set()) for found in (frame.reporter.findings, frame.reporter.elsewhere)
    ]
    run(frame, [fork, *rest])
    for held, count in left:  # both ways say more of it
        del held[count:]
    for found, known in reported:
        for key in [k for k, finding in found.items() if k not in known and finding.severity != "note"]:
            del found[key]
    frame.state = before
    counting, frame.reporter.counting = frame.reporter.counting, False
    then, other = refine.branch(frame, branches.test)
    after: State | None = None
    for state, body, outcome in ((then, branches.body, straight), (other, branches.orelse, not straight)):
        if state is not None:
            state.variables[flag] = outcome
            frame.state = state
            if run(frame, body) and run(frame, rest):
                after = join_states(after, frame.state, frame.place(fork))
    frame.parted, frame.reporter.counting = False, counting
    if after is None:
        return False
    frame.state = after
    return True


def branches_of(fork: ast.stmt) -> ast.stmt:
    """``y = a if c else b`` as an ``if``; any other statement as it is."""
    match fork:
        case ast.Assign(targets=targets, value=ast.IfExp(test=test, body=body, orelse=orelse)):
            then, other = (ast.copy_location(ast.Assign(targets, value), fork) for value in (body, orelse))
            return ast.copy_location(ast.If(test, [then], [other]), fork)
    return fork


__all__ = ["branches_of", "flag_of", "run_each"]
