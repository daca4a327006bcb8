"""Expressions of which one part is taken: ``a if c else b``, ``a or b``, ``a and b``."""

from __future__ import annotations

import ast
from contextlib import nullcontext

from typedtorch.shapes.infer.conditions import proven, refine
from typedtorch.shapes.infer.expressions import comparing
from typedtorch.shapes.infer.expressions.comprehension import changes
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.statements import turns
from typedtorch.shapes.infer.values.objects import one_of
from typedtorch.shapes.infer.values.state import State, join_states
from typedtorch.shapes.infer.values.values import UNKNOWN, Choice, Scalar, Value, choice, join_all
from typedtorch.shapes.proofs import Facts, without
from typedtorch.shapes.syntax import acts, walk


def if_expression(frame: Frame, node: ast.IfExp) -> Value:
    with turns.choosing(frame, node) if frame.loops else nullcontext():
        return _if_expression(frame, node)


def _if_expression(frame: Frame, node: ast.IfExp) -> Value:
    proven_before = frame.state.proven
    then, other = refine.branch(frame, node.test)
    values: list[Value] = []
    states = []
    undecided = frame.depth > 0 and then is not None and other is not None
    for state, part in ((then, node.body), (other, node.orelse)):
        if state is None:
            continue
        frame.state = state
        with frame.reporter.mute() if undecided else nullcontext():  # the caller's values may never lead here
            values.append(frame.evaluate(part))
        states.append(frame.state)
    joined = states[0] if len(states) == 1 else join_states(states[0], states[1], frame.place(node))
    assert joined is not None
    frame.state = joined
    if len(values) == 1:
        return values[0]
    known = [without(state.proven, proven_before) for state in states]
    return _one_of(frame, node, [node.body, node.orelse], values, known)


def _one_of(
    frame: Frame, node: ast.expr, written: list[ast.expr], values: list[Value], known: list[Facts]
) -> Value:
    """One of several values, some of which others may hold too; each text is remembered."""
    texts = all(isinstance(value, str) for value in values)
    joined = choice(list(dict.fromkeys(values))) if texts else join_all(values, frame.place(node))
    joined = proven.of_each(values, known, joined)
    if len(values) > 1 and any(isinstance(p, (ast.Name, ast.Attribute, ast.Subscript)) for p in written):
        return one_of(frame.state.variables, frame.place(node), joined, tuple(values))
    return joined


def boolean(frame: Frame, node: ast.BoolOp) -> Value:
    """``a or b``: evaluated for effect; known where the first decides."""
    is_or, last = isinstance(node.op, ast.Or), node.values[-1]
    before, has_effects = frame.state, False
    stopped: State | None = None
    values: list[Value] = []
    facts: list[Facts] = []  # what is proven where the value is one of these
    for part in node.values:
        known = frame.state.copy() if part is not node.values[0] and acts(part) else None
        value = frame.evaluate(part)
        values.append(value)
        facts.append(without(frame.state.proven, before.proven))
        has_effects |= known is not None and (_binds(part) or bool(changes(known, frame.state)))
        if part is last:
            break
        refine.ask_truth(frame, part, value)
        truth = comparing.truth(value)
        if truth is is_or:
            break
        if truth is (not is_or):
            values.pop()
            facts.pop()
        then, other = refine.branch(frame, part, evaluated=value)
        stop, onward = (then, other) if is_or else (other, then)
        if onward is None:
            break
        stopped = join_states(stopped, stop, frame.place(part))
        if stop is not None and truth is None:
            facts[-1] = without(stop.proven, before.proven)
        frame.state = onward
    after = join_states(stopped, frame.state, frame.place(node)) if has_effects else None
    frame.state = after or before
    if not values:
        return UNKNOWN
    # ``x or default`` is what is true of x, and ``x and y`` what is false of it, unless it is the last one
    values = [*(_only(v, is_or, values[-1]) for v in values[:-1]), values[-1]]
    return _one_of(frame, node, node.values, values, facts)


def _binds(node: ast.expr) -> bool:
    return any(isinstance(n, ast.NamedExpr) for n in walk(node))


def _only(value: Value, truth: bool, last: Value) -> Value:
    """What a value is where it is true, or false; one that is not known is a flag where the last one is."""
    if isinstance(value, Choice):
        return choice([v for v in value.options if comparing.truth(v) is not (not truth)])
    if isinstance(value, Scalar) and value.kind == "bool":
        return truth
    return truth if value is UNKNOWN and last is truth else value


__all__ = ["boolean", "if_expression"]
