"""Fixes found by trying: a small change of an expression is suggested where it alone makes the value fit."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.values.values import UNKNOWN, Record, Value
from typedtorch.shapes.size import atoms, axis
from typedtorch.shapes.tensor import Pack, ShapeError, Tensor, pack_index

_SOME_OPERAND = "an operand is "
Fits = Callable[[Value], bool]

# Functions that are told one axis, and give it up or put something there.
_ALONG = {
    *("sum", "mean", "prod", "var", "std", "norm", "logsumexp", "nansum", "nanmean", "count_nonzero"),
    *("amax", "amin", "argmax", "argmin", "all", "any", "cat", "concat", "stack", "squeeze", "unsqueeze"),
}
_JOINS = {"cat": "stack", "concat": "stack", "stack": "cat"}
# What may be evaluated once more and changes nothing by it.
_PLAIN = (ast.Name, ast.Attribute, ast.Constant, ast.List, ast.Tuple, ast.UnaryOp, ast.USub, ast.Load)


def repair(frame: Frame, node: ast.expr, value: Value, fits: Fits, surely: Fits) -> str | None:
    """What would make a value fit: another ``dim``, ``stack`` for ``cat``; of a tuple an item or an order.

    ``fits``: nothing is wrong with a value; ``surely``: nor may it be another.
    """
    if frame.reporter.muted:
        return None
    if isinstance(value, tuple):
        return _swapped_items(value, fits) or one_item(node, value, fits)
    if not isinstance(node, ast.Call):
        return None
    return _other_dim(frame, node, fits, surely) or _joined_otherwise(frame, node, fits)


def one_item(node: ast.AST, items: tuple[Value, ...], fits: Fits) -> str | None:
    """``x.max(dim=1).values`` where the result is used as if it were that."""
    found = [i for i, item in enumerate(items) if _known(item) and fits(item)]
    if len(found) != 1 or isinstance(node, ast.Tuple):
        return None
    item = f".{items.names[found[0]]}" if isinstance(items, Record) else f"[{found[0]}]"
    return f"{source(node)}{item} fits"


def one_operand(
    error: ShapeError,
    given: tuple[Value, ...],
    nodes: tuple[ast.expr | None, ...],
    accepts: Callable[[tuple[Value, ...]], Value],
) -> ShapeError:
    """The refusal of a tuple where a tensor is wanted: which operand it is, and which of its items fits."""
    found = [i for i, (v, n) in enumerate(zip(given, nodes, strict=False)) if n and isinstance(v, tuple)]
    node = nodes[found[0]] if len(found) == 1 else None
    if node is None or isinstance(node, ast.Tuple) or not error.message.startswith(_SOME_OPERAND):
        return error

    def fits(item: Value) -> bool:
        try:
            return accepts((*given[: found[0]], item, *given[found[0] + 1 :])) is not UNKNOWN
        except ShapeError:
            return False

    items = given[found[0]]
    assert isinstance(items, tuple)
    text = error.message.replace(_SOME_OPERAND, f"{source(node, 40)} is ", 1)
    return ShapeError(text, error.code, one_item(node, items, fits))


def _swapped_items(items: tuple[Value, ...], fits: Fits) -> str | None:
    found = []
    for i, j in combinations(range(len(items)), 2):
        swapped = list(items)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        if all(map(_known, swapped)) and fits(tuple(swapped)):
            found.append(f"items {i} and {j} fit the other way round")
    return found[0] if len(found) == 1 else None


def _other_dim(frame: Frame, node: ast.Call, fits: Fits, surely: Fits) -> str | None:
    """``x.mean(dim=0)`` where ``x.mean(dim=1)`` fits, and no other axis does."""
    place = _dim(node)
    if place is None or not all(map(_plain, (node.func, *node.args))):
        return None
    found, values = [], []
    for dim in range(4):
        value = tried(frame, _replaced(node, place, ast.copy_location(ast.Constant(dim), place)))
        if isinstance(value, Tensor) and _known(value) and fits(value) and not _is_mostly_free(value, fits):
            found.append(dim)
            values.append(value)
    return f"dim={found[0]} fits" if len(found) == 1 and surely(values[0]) else None


def _joined_otherwise(frame: Frame, node: ast.Call, fits: Fits) -> str | None:
    """``torch.cat(xs)`` where ``torch.stack(xs)`` fits; the other way round along the first axis alone.

    What is stacked along another axis is flattened as often as not.
    """
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if name not in _JOINS or not all(map(_plain, node.args)):
        return None
    if name == "stack" and not all(map(_is_zero, (*node.args[1:], *(k.value for k in node.keywords)))):
        return None
    assert isinstance(node.func, ast.Attribute)
    other = ast.copy_location(ast.Attribute(node.func.value, _JOINS[name], ast.Load()), node.func)
    value = tried(frame, ast.copy_location(ast.Call(other, node.args, node.keywords), node))
    if not isinstance(value, Tensor) or not _known(value) or not fits(value):
        return None
    return None if _is_mostly_free(value, fits) else f"{source(other)} fits"


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _is_mostly_free(value: Tensor, fits: Fits) -> bool:
    """Whether it says little that a shape fits: more than one axis, or the only one, may be of any size."""
    free = sum(_is_free(value, at, fits) for at in range(len(value.shape)))
    return free > 1 or 0 < free == len(value.shape)


_ANOTHER_AXIS, _ANOTHER_NUMBER = axis("*another"), 104_729


def _is_free(value: Tensor, at: int, fits: Fits) -> bool:
    """Whether any size would fit there: it may be equal to any, or meets a name that nothing binds."""
    entry = value.shape[at]
    if isinstance(entry, Pack) or any(atom.kind != "axis" for atom in atoms(entry)):
        return True
    others = (
        (*value.shape[:at], other, *value.shape[at + 1 :]) for other in (_ANOTHER_AXIS, _ANOTHER_NUMBER)
    )
    return all(fits(replace(value, shape=shape, layout=None)) for shape in others)


def tried(frame: Frame, node: ast.expr) -> Value:
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
