"""Fixes found by trying: a small change of an expression is suggested where it alone makes the value fit."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import combinations

from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values import Value
from typedtorch.shapes.tensor import Tensor, pack_index

Fits = Callable[[Value], bool]

# Functions that are told one axis, and give it up or put something there.
_ALONG = {
    *("sum", "mean", "prod", "var", "std", "norm", "logsumexp", "nansum", "nanmean", "count_nonzero"),
    *("amax", "amin", "argmax", "argmin", "all", "any", "cat", "concat", "stack", "squeeze", "unsqueeze"),
}
# What may be evaluated once more and changes nothing by it.
_PLAIN = (ast.Name, ast.Attribute, ast.Constant, ast.List, ast.Tuple, ast.UnaryOp, ast.USub, ast.Load)


def repair(frame: Frame, node: ast.expr, value: Value, fits: Fits) -> str | None:
    """What would make a value fit: another ``dim``, or two items of a tuple the other way round."""
    if frame.reporter.muted:
        return None
    if isinstance(value, tuple):
        return _swapped_items(value, fits)
    return _other_dim(frame, node, fits) if isinstance(node, ast.Call) else None


def _swapped_items(items: tuple[Value, ...], fits: Fits) -> str | None:
    found = []
    for i, j in combinations(range(len(items)), 2):
        swapped = list(items)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        if all(map(_known, swapped)) and fits(tuple(swapped)):
            found.append(f"items {i} and {j} fit the other way round")
    return found[0] if len(found) == 1 else None


def _other_dim(frame: Frame, node: ast.Call, fits: Fits) -> str | None:
    """``x.mean(dim=0)`` where ``x.mean(dim=1)`` fits, and no other axis does."""
    place = _dim(node)
    if place is None or not all(map(_plain, (node.func, *node.args))):
        return None
    found = []
    for dim in range(4):
        value = _tried(frame, _replaced(node, place, ast.copy_location(ast.Constant(dim), place)))
        if _known(value) and fits(value):
            found.append(dim)
    return f"dim={found[0]} fits" if len(found) == 1 else None


def _tried(frame: Frame, node: ast.expr) -> Value:
    """The value of an expression that is not in the program: nothing is reported or counted."""
    reporter = frame.reporter
    counting, known = reporter.counting, dict(reporter.known)
    reporter.counting = False
    try:
        with reporter.mute():
            return frame.evaluate(node)
    finally:
        reporter.counting, reporter.known = counting, known


def _dim(node: ast.Call) -> ast.expr | None:
    """Where a call says its axis, if that is a number."""
    function = node.func
    if not isinstance(function, ast.Attribute) or function.attr not in _ALONG:
        return None
    given = [k.value for k in node.keywords if k.arg == "dim"]
    of_torch = isinstance(function.value, ast.Name) and function.value.id == "torch"
    given = given or node.args[int(of_torch) :][:1]
    try:
        return given[0] if given and isinstance(ast.literal_eval(given[0]), int) else None
    except (ValueError, TypeError):
        return None


def _plain(node: ast.expr) -> bool:
    return all(isinstance(part, _PLAIN) for part in ast.walk(node))


def _replaced(node: ast.Call, old: ast.expr, new: ast.expr) -> ast.Call:
    call = ast.Call(
        node.func,
        [new if a is old else a for a in node.args],
        [ast.keyword(k.arg, new if k.value is old else k.value) for k in node.keywords],
    )
    return ast.copy_location(call, node)


def _known(value: Value) -> bool:
    return isinstance(value, Tensor) and pack_index(value.shape) is None
