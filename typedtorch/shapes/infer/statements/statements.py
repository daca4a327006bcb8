"""Statements: one function per kind.  Each returns whether the next statement is reached."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import lru_cache
from typing import Any

from typedtorch.shapes.infer.calls import calls
from typedtorch.shapes.infer.calls.results import check_result
from typedtorch.shapes.infer.conditions import checks, refine
from typedtorch.shapes.infer.conditions.asserted import assert_, check_equal
from typedtorch.shapes.infer.conditions.places import read_place
from typedtorch.shapes.infer.containers.items import without_item
from typedtorch.shapes.infer.expressions.expressions import evaluate
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.statements import both_ways, contexts, edges, paths, turns
from typedtorch.shapes.infer.statements.assignment import annotated, assign, assign_target, augmented
from typedtorch.shapes.infer.statements.expected_errors import expects_an_error, replaces_functions
from typedtorch.shapes.infer.statements.loops import break_, continue_, for_, while_
from typedtorch.shapes.infer.statements.patterns import cases_of
from typedtorch.shapes.infer.values.state import State, join_states
from typedtorch.shapes.infer.values.tensor_joins import odd_or_even
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    DictV,
    Instance,
    Partial,
    Value,
)
from typedtorch.shapes.size import Poly
from typedtorch.shapes.syntax import walk


def run(frame: Frame, body: Sequence[ast.stmt]) -> bool:
    """Run a block; False where its end is not reached."""
    for i, statement in enumerate(body):
        forks = isinstance(statement, (ast.If, ast.Match))
        if forks or isinstance(getattr(statement, "value", None), ast.IfExp):
            if isinstance(statement, (ast.If, ast.Assign)):
                rest = body[i + 1 :]
                flag = both_ways.flag_of(frame, statement, rest)
                if flag is not None:
                    return both_ways.run_each(frame, statement, flag, rest, run)
            if frame.loops and frame.loops[-1].body is body:
                edges.check(frame, body, i, run)
            tail = paths.tail_of(frame, body, i)
            if tail or paths.leads_to_turns(frame, body, i):
                with turns.choosing(frame, statement):
                    return paths.run_each(frame, statement, tail or body[i + 1 :], run)
        handler = _HANDLERS.get(type(statement))
        if handler is not None and not handler(frame, statement):
            return False
    return True


# -- binding ----------------------------------------------------------------------------------


# -- control flow -----------------------------------------------------------------------------


def if_(frame: Frame, node: ast.If) -> bool:
    """``if``: whether what follows is reached."""
    earlier = frame.state.tests
    then, other = refine.branch(frame, node.test)
    for state, opposite in ((then, node.orelse), (other, node.body)):
        if state is not None and _raises(opposite):  # no way that is chosen: the only one there is
            state.tests = earlier
    halved = _halved(frame, node.test)
    with turns.choosing(frame, node), nullcontext() if halved is None else odd_or_even(halved):
        return _run_branches(frame, [(then, node.body), (other, node.orelse)], frame.place(node))


def _halved(frame: Frame, test: ast.expr) -> Poly | None:
    """The size of which ``if dim % 2:`` asks whether it is odd."""
    rest = test.left if isinstance(test, ast.Compare) else test
    if not isinstance(rest, ast.BinOp) or not isinstance(rest.op, ast.Mod) or ast.unparse(rest.right) != "2":
        return None
    size = read_place(frame, rest.left)
    return size if isinstance(size, Poly) else None


def _run_branches(
    frame: Frame, branches: list[tuple[State | None, Sequence[ast.stmt]]], place: str, *, left: bool = False
) -> bool:
    """Each on its own, joined where they meet; ``left``: there is a way on which the body is left before.

    One that raises is none that a program means to take: what is wrong on the other is wrong.
    """
    after: State | None = None
    possible = [(state, body) for state, body in branches if state is not None]
    meant = [body for _, body in possible if not _raises(body)]
    several = left or len(meant) > 1
    ended = int(left)
    frame.reporter.undecided += several
    for state, body in possible:
        frame.state = state
        undecided = frame.depth > 0 and (several or (len(possible) > 1 and _raises(body)))
        if undecided:
            frame.reporter.muted += 1  # the caller's values may never lead here
        if run(frame, body):
            after = join_states(after, frame.state, place)
        else:
            ended += not _raises(body)
        if undecided:
            frame.reporter.muted -= 1
    frame.reporter.undecided -= several and not ended
    if frame.depth > 0 and several and ended:
        frame.reporter.muted += 1  # nor past here, for the rest of the body
    if after is None:
        return False
    frame.state = after
    return True


def _raises(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Raise)


def try_(frame: Frame, node: ast.Try) -> bool:
    """``try``: whether what follows is reached."""
    before, outer = frame.state.copy(), frame.raised
    frame.raised = []
    alternative = contexts.has_an_alternative(node)
    with frame.reporter.mute() if alternative else nullcontext():
        reached = run(frame, node.body)
    if alternative:
        checks.attempted(frame, node.body)
    after_body = frame.state
    # a handler may be entered from anywhere in the body
    entry = join_states(before, after_body, frame.place(node))
    for i, state in enumerate(frame.raised):
        entry = join_states(entry, state, f"{frame.place(node)}.{i}")
    assert entry is not None
    frame.raised = outer
    for name in _stored_again(node.body) if node.handlers else ():
        entry.variables[name] = UNKNOWN  # it may be what it was in between
    branches: list[tuple[State | None, Sequence[ast.stmt]]] = [(after_body if reached else None, node.orelse)]
    for handler in node.handlers:
        state = entry.copy()
        if handler.name:
            state.variables[handler.name] = UNKNOWN
        branches.append((state, handler.body))
    alive = _run_branches(frame, branches, frame.place(node), left=not reached)
    if node.finalbody:
        if not alive:
            frame.state = entry
        final = run(frame, node.finalbody)
        alive = alive and final
    return alive


def _stored_again(body: list[ast.stmt]) -> set[str]:
    """Names that a block binds more than once."""
    stored = [
        n.id for s in body for n in walk(s) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    ]
    return {name for name in stored if stored.count(name) > 1}


def with_(frame: Frame, node: ast.With | ast.AsyncWith) -> bool:
    """``with``: whether what follows is reached."""
    before = frame.state.autocast
    swallowed = False
    opened: list[Value] = []
    for item in node.items:
        value = evaluate(frame, item.context_expr)
        if isinstance(item.context_expr, ast.Call):
            checks.note(frame, item.context_expr)
        opened.append(value)
        if isinstance(value, (Instance, Partial)):
            frame.state.variables[contexts.opened_at(frame, item.context_expr)] = value
        swallowed = swallowed or contexts.swallows(frame, value, item.context_expr)
        if contexts.is_autocast(frame, item.context_expr):
            frame.state.autocast = True
        inside = contexts.entered(frame, value, item.context_expr)
        if item.optional_vars is not None:
            assign_target(frame, item.optional_vars, inside)
    if any(expects_an_error(item.context_expr, frame.module.tree) for item in node.items):
        reached = _expected_to_fail(frame, node.body)
    elif _is_patched(frame, node, opened) or swallowed:
        reached = _with_other_functions(frame, node.body)
    else:
        reached = run(frame, node.body)
    reached = reached or swallowed
    for item in reversed(node.items):
        held = contexts.opened_at(frame, item.context_expr)
        contexts.leave(frame, frame.state.variables.get(held), item.context_expr)
        frame.state.variables.pop(held, None)
    frame.state.autocast = before
    return reached


def _is_patched(frame: Frame, node: ast.With | ast.AsyncWith, opened: list[Value]) -> bool:
    """Whether what the body calls is not what the source says."""
    entered = [item.context_expr for item in node.items]
    patched = any(replaces_functions(e) or contexts.puts_another(frame, e) for e in entered)
    return patched or any(contexts.intercepts(value) for value in opened)


def _expected_to_fail(frame: Frame, body: list[ast.stmt]) -> bool:
    """``with pytest.raises(...)``: wrong on purpose, and what follows is reached."""
    start = frame.state.copy()
    with frame.reporter.mute():
        end = frame.state if run(frame, body) else None
    joined = join_states(start, end, frame.place(body[0]))
    assert joined is not None
    frame.state = joined
    return True


def _with_other_functions(frame: Frame, body: list[ast.stmt]) -> bool:
    """``with mock.patch(...)``: of what the body makes nothing is known."""
    with frame.reporter.mute():
        reached = run(frame, body)
    for part in (inner for statement in body for inner in walk(statement)):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            frame.state.variables[part.id] = UNKNOWN
    return reached


def match_(frame: Frame, node: ast.Match) -> bool:
    """``match``: whether what follows is reached."""
    return _run_branches(frame, cases_of(frame, node), frame.place(node))


# -- leaving ----------------------------------------------------------------------------------


def return_(frame: Frame, node: ast.Return) -> bool:
    """``return``, with its value against the promised one; nothing that follows is reached."""
    value = None if node.value is None else evaluate(frame, node.value)
    frame.returns.append((node, value))
    frame.exits.append(frame.state)
    if node.value is not None and frame.result is not None:
        check_result(frame, node.value, value)
        if isinstance(node.value, ast.IfExp) and not frame.depth:
            paths.arms(frame, node.value, lambda arm, v: check_result(frame, arm, v))
        elif isinstance(node.value, ast.Tuple) and type(value) is tuple and not frame.depth:
            _check_arms_of_parts(frame, node.value.elts, value)
    return False


def _check_arms_of_parts(frame: Frame, parts: list[ast.expr], value: tuple[Value, ...]) -> None:
    """``return x, (a if c else b)``: the tuple with each arm."""
    for i, part in enumerate(parts if len(parts) == len(value) else ()):
        if isinstance(part, ast.IfExp):
            before, after = value[:i], value[i + 1 :]
            paths.arms(frame, part, lambda arm, v: check_result(frame, arm, (*before, v, *after)))  # noqa: B023


def raise_(frame: Frame, node: ast.Raise) -> bool:
    """``raise``; nothing that follows is reached."""
    if node.exc is not None:
        evaluate(frame, node.exc)
    frame.raised.append(frame.state)
    return False


def expression(frame: Frame, node: ast.Expr) -> bool:
    """An expression alone: whether it returns."""
    if isinstance(node.value, ast.BoolOp):
        return run(frame, [_as_branch(node.value)])
    value = evaluate(frame, node.value)
    if isinstance(node.value, ast.Call):
        check_equal(frame, node.value)
        checks.note(frame, node.value)
    return not calls.never_returns(frame, node.value, value)


@lru_cache(maxsize=1024)
def _as_branch(node: ast.BoolOp) -> ast.If:
    """``x.shape == y.shape or refuse()`` as a statement."""
    *tests, last = node.values
    test = tests[0] if len(tests) == 1 else ast.BoolOp(node.op, tests)
    if isinstance(node.op, ast.Or):
        test = ast.UnaryOp(ast.Not(), test)
    branch = ast.If(test, [ast.copy_location(ast.Expr(last), last)], [])
    return ast.fix_missing_locations(ast.copy_location(branch, node))


def delete(frame: Frame, node: ast.Delete) -> bool:
    """``del``; what follows is reached."""
    for target in node.targets:
        match target:
            case ast.Name(id=name):
                frame.state.variables.pop(name, None)
            case ast.Subscript(value=holder, slice=index):
                without_item(frame, evaluate(frame, holder), evaluate(frame, index))
            case ast.Attribute(value=holder, attr=name):
                value = evaluate(frame, holder)
                if isinstance(value, Instance):
                    left = replace(value.with_attribute(name, UNKNOWN), altered=True)
                    frame.state.replace_value(value, left)
                elif isinstance(value, DictV):
                    without_item(frame, value, name)
    return True


def function_definition(frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A ``def`` inside a function; what follows is reached."""
    frame.state.variables[node.name] = frame.interpreter.define_local(frame, node)
    return True


def class_definition(frame: Frame, node: ast.ClassDef) -> bool:
    """A ``class`` inside a function; what follows is reached."""
    frame.state.variables[node.name] = frame.interpreter.define_local_class(frame, node)
    return True


def import_(frame: Frame, node: ast.Import) -> bool:
    """``import`` inside a function; what follows is reached."""
    for alias in node.names:
        target = alias.name if alias.asname else alias.name.partition(".")[0]
        frame.state.variables[alias.asname or target] = frame.module.program.import_module(target)
    return True


def import_from(frame: Frame, node: ast.ImportFrom) -> bool:
    """``from ... import`` inside a function; what follows is reached."""
    source = frame.module.absolute(node)
    for alias in node.names:
        if alias.name != "*":
            value = frame.module.program.import_from(source, alias.name)
            frame.state.variables[alias.asname or alias.name] = value
    return True


def forget_names(frame: Frame, node: ast.Global | ast.Nonlocal) -> bool:
    """``global`` and ``nonlocal``: others may assign to the names."""
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
