"""A proposal held against the statement that it would stand in.

``var.sqrt().unsqueeze(-1)`` fits ``torch.randn(m, k)``, and ``mean + var.sqrt().unsqueeze(-1) * noise`` does
not: what makes one operator work and the next one fail, or the result another than is annotated, was not
meant.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace

from typedtorch.shapes.infer.annotations.unify import match as problems_of
from typedtorch.shapes.infer.frame import Frame, Reporter, source
from typedtorch.shapes.infer.operators.constants import settled
from typedtorch.shapes.infer.values.values import Tensor, Value
from typedtorch.shapes.syntax import walk
from typedtorch.shapes.tensor import has_open_run

_OWN_NAMES = (
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.FunctionDef,
    ast.ClassDef,
)
_STATEMENTS = (ast.Return, ast.Assign, ast.AnnAssign, ast.Expr)


def holds(frame: Frame, hint: str, node: ast.AST, nodes: Sequence[ast.expr | None]) -> bool:
    """Whether the statement is right with a proposed expression in it, as far as can be told."""
    if not isinstance(node, ast.expr):
        return True
    found = _replacement(hint, node, nodes)
    return found is None or holds_with(frame, node, *found)


def holds_with(frame: Frame, node: ast.expr, old: ast.expr, new: ast.expr) -> bool:
    """Whether the statement of an expression is right with one part of it replaced, as far as can be told."""
    statement = _statement(frame, node)
    if statement is None or statement.value is None:
        return True
    changed = _with(statement.value, old, new)
    assert isinstance(changed, ast.expr)
    after, value = _evaluated(frame, changed)
    replaced = _with(statement, old, new)
    assert isinstance(replaced, ast.stmt)
    if not after and _is_wanted(frame, statement, value) and _is_right_after(frame, statement, [replaced]):
        return True  # else what is wrong there or after it may have the same cause
    if not isinstance(old, ast.Name):
        return False
    rebound = ast.copy_location(ast.Assign([ast.Name(old.id, ast.Store())], new), statement)
    ast.fix_missing_locations(rebound)
    return _is_right_after(frame, statement, [rebound, statement])


def _is_right_after(frame: Frame, statement: ast.stmt, instead: Sequence[ast.stmt]) -> bool:
    """Whether nothing is found in the rest of a body with others in place of one statement."""
    body = None if frame.function is None else frame.function.node
    if body is None or isinstance(body, ast.Lambda) or statement not in body.body or frame.depth:
        return True
    reporter = Reporter(frame.reporter.path, counting=False, trial=True)
    trial = replace(
        frame, state=frame.state.copy(), reporter=reporter, returns=[], yields=[], bound=[], exits=[],
        raised=[], loops=[], declared=dict(frame.declared),
    )  # fmt: skip
    pending = frame.interpreter.pending, frame.interpreter.pending_classes
    frame.interpreter.pending, frame.interpreter.pending_classes = {}, {}
    try:
        trial.run([*instead, *body.body[body.body.index(statement) + 1 :]])
    finally:
        frame.interpreter.pending, frame.interpreter.pending_classes = pending
    return all(found.severity != "error" for found in reporter.findings.values())


def _evaluated(frame: Frame, expression: ast.expr) -> tuple[set[tuple[int, int, str]], Value]:
    """What is found in an expression, and its value; nothing is changed by it."""
    state, reporter = frame.state, frame.reporter
    frame.state = state.copy()
    frame.reporter = Reporter(reporter.path, counting=False, trial=True)
    try:
        value = frame.evaluate(expression)
        return {key for key, found in frame.reporter.findings.items() if found.severity == "error"}, value
    finally:
        frame.state, frame.reporter = state, reporter


def _replacement(
    hint: str, node: ast.expr, nodes: Sequence[ast.expr | None]
) -> tuple[ast.expr, ast.expr] | None:
    """What a hint replaces by what: the whole product, one operand, or the letters of one."""
    if kept := re.fullmatch(r"(keepdims?)=True (?:in (.+) )?keeps axis -\d+(?: of (.+))?", hint):
        return _keeping(kept[1], kept[2] or kept[3], node)
    if letters := re.fullmatch(r"'([^']*)' fits (.+)", hint):
        return _other_letters(letters[1], letters[2], node, nodes)
    if hint.endswith(", which fits"):
        text = hint.rpartition(" is (")[0]
    elif hint.endswith(" fits"):
        text = hint.removesuffix(" fits").rpartition(": ")[2]
    else:
        return None
    try:
        new = ast.parse(text, mode="eval").body
    except SyntaxError:  # of a long operand, which is shortened
        return None
    for part in ast.walk(new):
        ast.copy_location(part, node)
    if isinstance(new, ast.BinOp) and isinstance(new.op, ast.MatMult):
        return node, new
    written = {ast.unparse(part) for part in ast.walk(new) if isinstance(part, ast.expr)}
    found = [
        operand
        for operand in nodes
        if operand is not None and (source(operand, 1000) in written or _without_turn(operand) == text)
    ]
    return (max(found, key=lambda operand: len(source(operand, 1000))), new) if found else None


def _keeping(keyword: str, reduction: str, node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """A reduction in an expression, and the same one keeping its axis."""
    for call in walk(node):
        if isinstance(call, ast.Call) and ast.unparse(call) == reduction:
            kept = ast.keyword(keyword, ast.copy_location(ast.Constant(True), call))
            return call, ast.copy_location(ast.Call(call.func, call.args, [*call.keywords, kept]), call)
    return None


def _other_letters(
    term: str, who: str, call: ast.expr, nodes: Sequence[ast.expr | None]
) -> tuple[ast.expr, ast.expr] | None:
    """The equation of an ``einsum`` with other letters for one operand."""
    if not isinstance(call, ast.Call) or not call.args:
        return None
    equation = call.args[0]
    operands = [source(node, 40) if node is not None else "" for node in nodes if node is not equation]
    if not isinstance(equation, ast.Constant) or not isinstance(equation.value, str) or who not in operands:
        return None
    left, arrow, right = equation.value.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        return None
    terms[operands.index(who)] = term
    changed = ast.Constant(",".join(terms) + arrow + right)
    return equation, ast.copy_location(changed, equation)


def _without_turn(operand: ast.expr) -> str | None:
    return ast.unparse(operand.value) if isinstance(operand, ast.Attribute) else None


def _statement(frame: Frame, node: ast.expr) -> ast.Return | ast.Assign | ast.AnnAssign | ast.Expr | None:
    """The statement of an expression, where it needs no names but those that are bound there."""
    body = frame.module.tree if frame.function is None else frame.function.node
    if isinstance(body, ast.Lambda):
        return None
    for statement in ast.walk(body):
        if isinstance(statement, _STATEMENTS) and statement.value is not None:
            first, last = statement.lineno, statement.end_lineno or statement.lineno
            if first <= node.lineno <= last and _holds_plainly(statement.value, node):
                return statement
    return None


def _holds_plainly(tree: ast.AST, node: ast.AST) -> bool:
    if tree is node:
        return True
    if isinstance(tree, _OWN_NAMES):
        return False
    return any(_holds_plainly(child, node) for child in ast.iter_child_nodes(tree))


def _with(node: ast.AST, old: ast.expr, new: ast.expr) -> ast.AST:
    """A copy of an expression with one part of it replaced; the rest of it stays as it is."""
    if node is old:
        return new
    if not _holds_plainly(node, old):
        return node
    fields = {name: _of_field(value, old, new) for name, value in ast.iter_fields(node)}
    return ast.copy_location(type(node)(**fields), node)


def _of_field(value: object, old: ast.expr, new: ast.expr) -> object:
    if isinstance(value, list):
        return [_of_field(item, old, new) for item in value]
    return _with(value, old, new) if isinstance(value, ast.AST) else value


def _is_wanted(frame: Frame, statement: ast.stmt, value: Value) -> bool:
    """A result as it is annotated; a variable that is brought up to date keeps its number of axes."""
    if isinstance(statement, ast.Return) and frame.result is not None:
        names = frame.state.names.copy()
        names.strict, names.tie, names.tied = True, frame.state.ties.allow, settled(frame)
        return not problems_of(frame.result, value, names, binder="the result")
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=given):
            before = frame.state.variables.get(name)
            renewed = any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(given))
            if renewed and isinstance(before, Tensor) and isinstance(value, Tensor):
                known = not has_open_run(before.shape) and not has_open_run(value.shape)
                return not known or len(before.shape) == len(value.shape)
    return True


__all__ = ["holds", "holds_with"]
