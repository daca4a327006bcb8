"""Loops: a body is run until its head no longer changes."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from typing import Any

from typedtorch.shapes.findings import Finding
from typedtorch.shapes.infer.conditions import refine
from typedtorch.shapes.infer.conditions.places import look
from typedtorch.shapes.infer.conditions.solving import prove
from typedtorch.shapes.infer.containers.filled import filled
from typedtorch.shapes.infer.containers.items import MAX_UNROLL, items_of, iterate, this_one
from typedtorch.shapes.infer.containers.lengths import length_of
from typedtorch.shapes.infer.expressions.expressions import evaluate
from typedtorch.shapes.infer.frame import Frame, Loop
from typedtorch.shapes.infer.layers import surgery
from typedtorch.shapes.infer.operators import read_items
from typedtorch.shapes.infer.statements.ages import age
from typedtorch.shapes.infer.statements.assignment import assign_target
from typedtorch.shapes.infer.statements.iteration import gone_through
from typedtorch.shapes.infer.statements.turns import Held, Turns, bound_names, moves, retract
from typedtorch.shapes.infer.values.contents import holds_tensors
from typedtorch.shapes.infer.values.state import MAX_ROUNDS, State, equal_states, forget_changed, join_states
from typedtorch.shapes.infer.values.values import UNKNOWN, Scalar, Value, join
from typedtorch.shapes.infer.values.values import Sequence as SequenceV

MAX_TOGETHER = 144  # turns of loops in loops that are run one by one


def for_(frame: Frame, node: ast.For | ast.AsyncFor) -> bool:
    iterable = gone_through(frame, evaluate(frame, node.iter), node.iter)
    items, moving = items_of(iterable), moves(frame, node)
    together = math.prod(loop.turns for loop in frame.loops) * len(items or ())
    if items is not None and len(items) <= MAX_UNROLL and together <= MAX_TOGETHER and not moving:
        return _unrolled(frame, node, items)
    place = frame.place(node.target)
    each = iterate(iterable, place)
    turns = None if moving else length_of(iterable)
    # nobody trains on no batches
    surely = (isinstance(turns, int) and turns > 1) or (
        isinstance(iterable, SequenceV) and iterable.kind in ("iterator", "view") and holds_tensors(each)
    )

    def bound() -> None:
        with frame.reporter.mute():
            again = gone_through(frame, look(frame, node.iter), node.iter) if moving else UNKNOWN
            now = join(each, iterate(again, place), place) if moving else each
        this = this_one(frame, now, place)
        read_items.counting(frame, this, each, items)
        assign_target(frame, node.target, this)
        _entered(frame, node.iter)

    before = frame.state
    reached = _fixed_point(frame, node, bound, None, entered_surely=surely)
    if reached and turns is not None:
        filled(before, frame.state, node, turns)
    if reached:
        surgery.replace_in_modules(frame, node)
    return reached


def _entered(frame: Frame, node: ast.expr) -> None:
    """``for _ in range(int(a == b))``: what a count that may be zero proves where it is not."""
    match node:
        case ast.Call(func=ast.Name(id="range"), args=[count]):
            value = look(frame, count)
            if isinstance(value, Scalar) and value.proves:
                prove(frame, value.proves[0])


def _unrolled(frame: Frame, node: ast.For | ast.AsyncFor, items: list[Value]) -> bool:
    loop, turns = Loop(turns=max(1, len(items))), Turns(frame.reporter)
    frame.loops.append(loop)
    alive, held = True, Held(frame, frame.place(node.iter), items)
    for turn in range(len(items)):
        turns.begin()
        before = frame.state.copy()
        assign_target(frame, node.target, held.item(turn))
        reached = frame.run(node.body)
        state = join_states(frame.state if reached else None, loop.continues, frame.place(node))
        loop.continues = None
        if state is None:
            alive = False
            break
        age(state, node, before, f"'{turn}")
        frame.state = state
    turns.end()
    frame.loops.pop()
    if alive:
        alive = frame.run(node.orelse)
    after = join_states(frame.state if alive else None, loop.breaks, frame.place(node))
    if after is None:
        return False
    frame.state = after
    held.drop()
    return True


def while_(frame: Frame, node: ast.While) -> bool:
    before = frame.state
    frame.state = before.copy()  # the test may change something: ``while xs.pop() > 0``
    with frame.reporter.mute():
        surely = refine.branch(frame, node.test)[1] is None
    frame.state = before
    return _fixed_point(frame, node, lambda: None, node.test, entered_surely=surely)


def _fixed_point(
    frame: Frame,
    node: ast.For | ast.AsyncFor | ast.While,
    bind: Callable[[], None],
    test: ast.expr | None,
    *,
    entered_surely: bool,
) -> bool:
    """Run a body until its head no longer changes; at least one turn is assumed.

    The first turn is on its own: later ones begin with what it left, not with what was before the loop
    too, so that ``g = zeros(())`` is of the rank of ``r`` from the second turn of ``g = r + gamma * g`` on.
    """
    place = frame.place(node)
    head = frame.state
    loop, end, left, first_breaks = Loop(), None, None, None
    known = frame.reporter.findings
    doubtful = frame.depth > 0 and not entered_surely
    if doubtful:
        frame.reporter.muted += 1  # a helper's loop may not be entered with the caller's values
    targets = frozenset[str]() if isinstance(node, ast.While) else bound_names(node.target)
    for turn in range(MAX_ROUNDS + 2):
        loop = Loop(targets=targets, body=() if turn else node.body)
        frame.loops.append(loop)
        frame.state = head.copy()
        entered, left = (frame.state, None) if test is None else refine.branch(frame, test)
        end = None
        if entered is not None:
            frame.state = entered
            bind()
            end = frame.state if frame.run(node.body) else None
        frame.loops.pop()
        end = join_states(end, loop.continues, place)
        if end is None:
            break
        age(end, node, head)
        joined = join_states(head, end, place)
        assert joined is not None
        if turn == 1:
            _say_from_second_turn(frame, known)
        if equal_states(joined, head):
            end = head
            break
        if turn == 0:
            first_breaks, known = loop.breaks, _after_first_turn(frame, node, bind, loop, head)
            if test is None or entered_surely:
                joined = end
        head = forget_changed(head, joined) if turn >= MAX_ROUNDS else joined
    if doubtful:
        frame.reporter.muted -= 1
    always = test is not None and isinstance(test, ast.Constant) and bool(test.value)
    never = always or (entered_surely and end is None and left is None)
    normal = None if never else (end or left or head)
    if normal is not None:
        frame.state = normal
        if test is not None and end is not None:
            frame.state = refine.branch(frame, test)[1] or normal
        normal = frame.state if frame.run(node.orelse) else None
    after = join_states(normal, join_states(first_breaks, loop.breaks, place), place)
    if after is None:
        return False
    frame.state = after
    return True


def _after_first_turn(
    frame: Frame, node: ast.For | ast.AsyncFor | ast.While, bind: Callable[[], None], first: Loop, head: State
) -> dict[Any, Finding]:
    """What is found in a first turn, and in a second one after each way through it."""
    known = dict(frame.reporter.findings)
    retract(frame.reporter, first)
    if first.continues is None and len(first.ways) > 1:
        _run_after_each(frame, node, bind, first, head)
    return known | frame.reporter.findings


def _run_after_each(
    frame: Frame, node: ast.For | ast.AsyncFor | ast.While, bind: Callable[[], None], first: Loop, head: State
) -> None:
    known, state = dict(frame.reporter.findings), frame.state
    counting, frame.reporter.counting = frame.reporter.counting, False
    for way in first.ways:
        loop = Loop(targets=first.targets)
        frame.loops.append(loop)
        age(way, node, head)
        frame.state = way
        entered = refine.branch(frame, node.test)[0] if isinstance(node, ast.While) else way
        if entered is not None:
            frame.state = entered
            bind()
            frame.run(node.body)
        frame.loops.pop()
        retract(frame.reporter, loop)
    frame.reporter.counting, frame.state = counting, state
    _say_from_second_turn(frame, known)


def _say_from_second_turn(frame: Frame, known: Mapping[Any, Any]) -> None:
    """A loop promises to work for any number of turns: ``p = torch.outer(r, p)`` is well the first time."""
    lines = {line for line, _, _ in known}  # what else is wrong there was so the first time, unseen
    for place in [p for p in frame.reporter.findings.keys() - known.keys() if p[0] not in lines]:
        found = frame.reporter.findings[place]
        message = f"{found.message}; from the second turn of the loop on"
        frame.reporter.findings[place] = found._replace(message=message)


def break_(frame: Frame, node: ast.Break) -> bool:
    if frame.loops:
        loop = frame.loops[-1]
        loop.breaks = join_states(loop.breaks, frame.state, frame.place(node))
    return False


def continue_(frame: Frame, node: ast.Continue) -> bool:
    if frame.loops:
        loop = frame.loops[-1]
        loop.continues = join_states(loop.continues, frame.state, frame.place(node))
    return False
