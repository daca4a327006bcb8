"""Statements: one function per kind.  Each returns whether the next statement is reached."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from typedtorch.shapes.infer import calls, contexts, paths, refine
from typedtorch.shapes.infer.assignment import annotated, assign, assign_target, augmented
from typedtorch.shapes.infer.expressions import MAX_UNROLL, evaluate
from typedtorch.shapes.infer.frame import Frame, Loop
from typedtorch.shapes.infer.items import items_of, iterate
from typedtorch.shapes.infer.patterns import NEVER, bind_pattern, irrefutable, match_pattern, prove_pattern
from typedtorch.shapes.infer.results import check_result
from typedtorch.shapes.infer.state import MAX_ROUNDS, State, equal_states, forget_changed, join_states
from typedtorch.shapes.infer.values import (
    UNKNOWN,
    Tensor,
    Value,
)
from typedtorch.shapes.infer.values import Sequence as SequenceV
from typedtorch.shapes.size import Atom, Size, atoms, substitute, unknown
from typedtorch.shapes.tensor import Pack


def run(frame: Frame, body: Sequence[ast.stmt]) -> bool:
    """Run a block; False where its end is not reached."""
    for i, statement in enumerate(body):
        if isinstance(statement, ast.If) or isinstance(getattr(statement, "value", None), ast.IfExp):
            tail = paths.tail_of(frame, body, i)
            if tail:
                return paths.run_each(frame, statement, tail, run)
        handler = _HANDLERS.get(type(statement))
        if handler is not None and not handler(frame, statement):
            return False
    return True


# -- binding ----------------------------------------------------------------------------------


# -- control flow -----------------------------------------------------------------------------


def if_(frame: Frame, node: ast.If) -> bool:
    then, other = refine.branch(frame, node.test)
    return _run_branches(frame, [(then, node.body), (other, node.orelse)], frame.place(node))


def _run_branches(frame: Frame, branches: list[tuple[State | None, Sequence[ast.stmt]]], place: str) -> bool:
    after: State | None = None
    possible = [(state, body) for state, body in branches if state is not None]
    undecided = frame.depth > 0 and len(possible) > 1
    ended = 0
    for state, body in possible:
        frame.state = state
        if undecided:
            frame.reporter.muted += 1  # the caller's values may never lead here
        if run(frame, body):
            after = join_states(after, frame.state, place)
        else:
            ended += 1
        if undecided:
            frame.reporter.muted -= 1
    if undecided and ended:
        frame.reporter.muted += 1  # nor past here, for the rest of the body
    if after is None:
        return False
    frame.state = after
    return True


def for_(frame: Frame, node: ast.For | ast.AsyncFor) -> bool:
    iterable = evaluate(frame, node.iter)
    items = items_of(iterable)
    if items is not None and len(items) <= MAX_UNROLL:
        return _unrolled(frame, node, items)
    each = iterate(iterable, frame.place(node.target))
    surely = isinstance(iterable, SequenceV) and iterable.kind == "iterator" and _holds_tensors(each)
    bound = lambda: assign_target(frame, node.target, each)  # noqa: E731 - it is an argument
    return _fixed_point(frame, node, bound, None, entered_surely=surely)


def _holds_tensors(value: Value) -> bool:
    """One item of a loader or a generator of batches: nobody trains on none."""
    return isinstance(value, Tensor) or (isinstance(value, tuple) and any(map(_holds_tensors, value)))


def _unrolled(frame: Frame, node: ast.For | ast.AsyncFor, items: list[Value]) -> bool:
    loop = Loop()
    frame.loops.append(loop)
    alive = True
    for item in items:
        assign_target(frame, node.target, item)
        reached = run(frame, node.body)
        state = join_states(frame.state if reached else None, loop.continues, frame.place(node))
        loop.continues = None
        if state is None:
            alive = False
            break
        frame.state = state
    frame.loops.pop()
    if alive:
        alive = run(frame, node.orelse)
    after = join_states(frame.state if alive else None, loop.breaks, frame.place(node))
    if after is None:
        return False
    frame.state = after
    return True


def while_(frame: Frame, node: ast.While) -> bool:
    with frame.reporter.mute():
        surely = refine.branch(frame, node.test)[1] is None
    return _fixed_point(frame, node, lambda: None, node.test, entered_surely=surely)


def _fixed_point(
    frame: Frame,
    node: ast.For | ast.AsyncFor | ast.While,
    bind: Callable[[], None],
    test: ast.expr | None,
    *,
    entered_surely: bool,
) -> bool:
    """Run a body until its head no longer changes; at least one turn is assumed."""
    place = frame.place(node)
    head = frame.state
    loop, end, left = Loop(), None, None
    doubtful = frame.depth > 0 and not entered_surely
    if doubtful:
        frame.reporter.muted += 1  # a helper's loop may not be entered with the caller's values
    for turn in range(MAX_ROUNDS + 2):
        loop = Loop()
        frame.loops.append(loop)
        frame.state = head.copy()
        entered, left = (frame.state, None) if test is None else refine.branch(frame, test)
        end = None
        if entered is not None:
            frame.state = entered
            bind()
            end = frame.state if run(frame, node.body) else None
        frame.loops.pop()
        end = join_states(end, loop.continues, place)
        if end is None:
            break
        age(end, node)
        joined = join_states(head, end, place)
        assert joined is not None
        if equal_states(joined, head):
            break
        if turn == 0 and not frame.depth:
            _second_turn(frame, node, bind, test, end)
        head = forget_changed(head, joined) if turn >= MAX_ROUNDS else joined
    if doubtful:
        frame.reporter.muted -= 1
    always = test is not None and isinstance(test, ast.Constant) and bool(test.value)
    normal = None if always else (end or left or head)
    if normal is not None:
        frame.state = normal
        if test is not None and end is not None:
            frame.state = refine.branch(frame, test)[1] or normal
        normal = frame.state if run(frame, node.orelse) else None
    after = join_states(normal, loop.breaks, place)
    if after is None:
        return False
    frame.state = after
    return True


def _second_turn(
    frame: Frame,
    node: ast.For | ast.AsyncFor | ast.While,
    bind: Callable[[], None],
    test: ast.expr | None,
    end: State,
) -> None:
    """A body on exactly what its first turn left: a loop promises to work for any number of turns.

    ``p = torch.outer(r, p)`` is well the first time; what it gives then meets ``A @ p``.
    """
    lists: tuple[list[Any], ...] = (frame.returns, frame.exits, frame.yields, frame.bound)
    before, counts = frame.state, [len(made) for made in lists]
    counting, frame.reporter.counting = frame.reporter.counting, False
    known = dict(frame.reporter.findings)
    frame.loops.append(Loop())
    frame.state = end.copy()
    entered = frame.state if test is None else refine.branch(frame, test)[0]
    if entered is not None:
        frame.state = entered
        bind()
        run(frame, node.body)
    frame.loops.pop()
    frame.reporter.counting = counting
    frame.state = before
    for place in frame.reporter.findings.keys() - known.keys():
        found = frame.reporter.findings[place]
        message = f"{found.message}; so from the second turn of the loop on"
        frame.reporter.findings[place] = replace(found, message=message)
    for made, count in zip(lists, counts, strict=True):
        del made[count:]


_PLACE = re.compile(r"\?(\d+):")


def age(state: State, loop: ast.stmt) -> None:
    """Unknown sizes that arose in this turn of a loop are not those of the same names in the next."""
    first, last = loop.lineno, loop.end_lineno or loop.lineno

    def older(size: Size) -> Size:
        if isinstance(size, int):
            return size
        found = {a: unknown(f"{a.name}'") for a in atoms(size) if _opaque_from(a, first, last)}
        return substitute(size, found) if found else size

    def older_run(run: Pack) -> Pack:
        return Pack(f"{run.name}'") if _arose(run.name, first, last) else run

    state.transform(older, older_run)


def _opaque_from(atom: Atom, first: int, last: int) -> bool:
    return atom.kind == "opaque" and _arose(atom.name, first, last)


def _arose(name: str, first: int, last: int) -> bool:
    """Whether the name of something unknown says that it arose on one of these lines."""
    if name.endswith("'"):
        return False
    place = _PLACE.match(name)
    return place is not None and first <= int(place.group(1)) <= last


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


def try_(frame: Frame, node: ast.Try) -> bool:
    before = frame.state.copy()
    with frame.reporter.mute() if contexts.has_an_alternative(node) else nullcontext():
        reached = run(frame, node.body)
    after_body = frame.state
    # a handler may be entered from anywhere in the body
    entry = join_states(before, after_body, frame.place(node))
    assert entry is not None
    branches: list[tuple[State | None, Sequence[ast.stmt]]] = [(after_body if reached else None, node.orelse)]
    for handler in node.handlers:
        state = entry.copy()
        if handler.name:
            state.variables[handler.name] = UNKNOWN
        branches.append((state, handler.body))
    alive = _run_branches(frame, branches, frame.place(node))
    if node.finalbody:
        if not alive:
            frame.state = entry
        final = run(frame, node.finalbody)
        alive = alive and final
    return alive


def with_(frame: Frame, node: ast.With | ast.AsyncWith) -> bool:
    before = frame.state.autocast
    for item in node.items:
        value = evaluate(frame, item.context_expr)
        if contexts.is_autocast(frame, item.context_expr):
            frame.state.autocast = True
        if item.optional_vars is not None:
            assign_target(frame, item.optional_vars, contexts.entered(frame, value, item.context_expr))
    if any(contexts.expects_an_error(item.context_expr) for item in node.items):
        reached = _expected_to_fail(frame, node.body)
    else:
        reached = run(frame, node.body)
    frame.state.autocast = before
    return reached


def _expected_to_fail(frame: Frame, body: list[ast.stmt]) -> bool:
    """``with pytest.raises(...)``: wrong on purpose, and what follows is reached."""
    start = frame.state.copy()
    with frame.reporter.mute():
        end = frame.state if run(frame, body) else None
    joined = join_states(start, end, frame.place(body[0]))
    assert joined is not None
    frame.state = joined
    return True


def match_(frame: Frame, node: ast.Match) -> bool:
    subject = evaluate(frame, node.subject)
    branches: list[tuple[State | None, Sequence[ast.stmt]]] = []
    total = False
    rest = subject
    for case in node.cases:
        state = frame.state.copy()
        saved, frame.state = frame.state, state
        value, rest_after = match_pattern(frame, case.pattern, rest)
        if value is not NEVER:
            if isinstance(node.subject, ast.Name) and value is not UNKNOWN:
                frame.state.variables[node.subject.id] = value
            bind_pattern(frame, case.pattern, value)
            prove_pattern(frame, case.pattern, value)
            entered: State | None = frame.state
            if case.guard is not None:
                entered = refine.branch(frame, case.guard)[0]
            else:
                rest = rest_after
            branches.append((entered, case.body))
            total = total or (case.guard is None and irrefutable(case.pattern))
        frame.state = saved
    if not total and rest is not NEVER:
        branches.append((frame.state, []))
    return _run_branches(frame, branches, frame.place(node))


# -- leaving ----------------------------------------------------------------------------------


def return_(frame: Frame, node: ast.Return) -> bool:
    value = None if node.value is None else evaluate(frame, node.value)
    frame.returns.append((node, value))
    frame.exits.append(frame.state)
    if node.value is not None and frame.result is not None:
        check_result(frame, node.value, value)
        if isinstance(node.value, ast.IfExp) and not frame.depth:
            paths.arms(frame, node.value, lambda arm, v: check_result(frame, arm, v))
    return False


def raise_(frame: Frame, node: ast.Raise) -> bool:
    if node.exc is not None:
        evaluate(frame, node.exc)
    return False


def assert_(frame: Frame, node: ast.Assert) -> bool:
    then, _ = refine.branch(frame, node.test)
    if then is None:
        return False
    frame.state = then
    return True


def expression(frame: Frame, node: ast.Expr) -> bool:
    value = evaluate(frame, node.value)
    return not calls.never_returns(value)


def delete(frame: Frame, node: ast.Delete) -> bool:
    for target in node.targets:
        if isinstance(target, ast.Name):
            frame.state.variables.pop(target.id, None)
    return True


def function_definition(frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    frame.state.variables[node.name] = frame.interpreter.define_local(frame, node)
    return True


def class_definition(frame: Frame, node: ast.ClassDef) -> bool:
    frame.state.variables[node.name] = frame.interpreter.define_local_class(frame, node)
    return True


def import_(frame: Frame, node: ast.Import) -> bool:
    for alias in node.names:
        target = alias.name if alias.asname else alias.name.partition(".")[0]
        frame.state.variables[alias.asname or target] = frame.module.program.import_module(target)
    return True


def import_from(frame: Frame, node: ast.ImportFrom) -> bool:
    source = frame.module.absolute(node)
    for alias in node.names:
        if alias.name != "*":
            value = frame.module.program.import_from(source, alias.name)
            frame.state.variables[alias.asname or alias.name] = value
    return True


def forget_names(frame: Frame, node: ast.Global | ast.Nonlocal) -> bool:
    for name in node.names:
        frame.state.variables[name] = UNKNOWN
    return True


Handler = Callable[[Frame, Any], bool]
_HANDLERS: dict[type[ast.stmt], Handler] = {
    ast.Assign: assign, ast.AugAssign: augmented, ast.AnnAssign: annotated, ast.If: if_, ast.For: for_,
    ast.AsyncFor: for_, ast.While: while_, ast.Break: break_, ast.Continue: continue_, ast.Try: try_,
    ast.With: with_, ast.AsyncWith: with_, ast.Match: match_, ast.Return: return_, ast.Raise: raise_,
    ast.Assert: assert_, ast.Expr: expression, ast.Delete: delete, ast.FunctionDef: function_definition,
    ast.AsyncFunctionDef: function_definition, ast.ClassDef: class_definition, ast.Import: import_,
    ast.ImportFrom: import_from, ast.Global: forget_names, ast.Nonlocal: forget_names,
}  # fmt: skip

__all__ = ["run"]
