"""The arguments of a call as they are evaluated, one after another: each may change what the others hold."""

from __future__ import annotations

import ast
from functools import lru_cache

from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.containers.items import items_of
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.objects import CHANGING
from typedtorch.shapes.infer.values.values import UNKNOWN, Bound, DictV, FunctionV, Value
from typedtorch.shapes.syntax import acts


def given(frame: Frame, function: Value, node: ast.Call) -> tuple[Value, Args]:
    """The arguments, and what is called once they are there: ``self.decode(self.encode(x))``."""
    if not _of_object(function) or not any(map(acts, (*node.args, *node.keywords))):
        return function, arguments(frame, node)
    held = f"<call {frame.place(node)}>"
    frame.state.variables[held] = function  # what the arguments change of its object, it finds changed
    args = arguments(frame, node)
    return frame.state.variables.pop(held, UNKNOWN), args


def _of_object(function: Value) -> bool:
    """Whether what is called belongs to an object or a container."""
    if isinstance(function, Bound):
        return isinstance(function.receiver, CHANGING)
    return isinstance(function, FunctionV) and isinstance(function.bound, CHANGING)


# Kinds of expressions, the most frequent ones, that have no others in them.
_CHANGES_NOTHING = frozenset({ast.Name, ast.Constant})


def beside(frame: Frame, before: list[Value], node: ast.expr) -> Value:
    """The value of an expression; what it changes of those before it, they have changed.

    ``xs + [xs.pop()]``, ``(box, box.put(x))``, ``f(xs, xs.pop())``.
    """
    if type(node) in _CHANGES_NOTHING or not before:
        return frame.evaluate(node)
    if not any(isinstance(value, CHANGING) for value in before) or not acts(node):
        return frame.evaluate(node)
    held = f"<beside {frame.place(node)}>"
    frame.state.variables[held] = tuple(before)
    value = frame.evaluate(node)
    now = frame.state.variables.pop(held, None)
    if isinstance(now, tuple):
        before[:] = now
    return value


def arguments(frame: Frame, node: ast.Call) -> Args:
    """Evaluate the arguments, spreading what can be."""
    args = Args()
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            value = beside(frame, args.values, argument.value)
            items = _spread(value)
            if items is None:
                args.open = True
                args.spread.append(value)
                args.add(UNKNOWN, argument)
            else:
                for i, item in enumerate(items):
                    args.add(item, _part(argument.value, i))
        else:
            args.add(beside(frame, args.values, argument), argument)
    for keyword in node.keywords:
        value = _keyword(frame, args, keyword.value)
        if keyword.arg is not None:
            args.keywords[keyword.arg] = value
            args.keyword_nodes[keyword.arg] = keyword.value
        elif isinstance(value, DictV) and value.rest is None and all(isinstance(k, str) for k in value.items):
            for key, item in value.items.items():
                args.keywords[key] = item
                args.keyword_nodes[key] = _part(keyword.value, key)
        else:
            args.open = True
    return args


def _keyword(frame: Frame, args: Args, node: ast.expr) -> Value:
    """What a keyword is given; what its expression changes of the arguments before it, they have changed."""
    if type(node) in _CHANGES_NOTHING or not acts(node):
        return frame.evaluate(node)
    before = [*args.values, *args.keywords.values()]
    value = beside(frame, before, node)
    args.values = before[: len(args.values)]
    args.keywords = dict(zip(args.keywords, before[len(args.values) :], strict=True))
    return value


def _spread(value: Value) -> list[Value] | None:
    """What ``*value`` gives; None where it cannot be enumerated."""
    return list(value) if isinstance(value, tuple) else items_of(value)


@lru_cache(maxsize=4096)
def _part(node: ast.expr, key: int | str) -> ast.expr:
    """One of the items that a call spreads, as it would be written alone."""
    if isinstance(node, (ast.List, ast.Tuple)) and isinstance(key, int) and key < len(node.elts):
        return node if isinstance(node.elts[key], ast.Starred) else node.elts[key]
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return node
    return ast.copy_location(ast.Subscript(node, ast.Constant(key), ast.Load()), node)
