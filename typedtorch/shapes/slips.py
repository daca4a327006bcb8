"""Axis strings that jaxtyping takes and that cannot hold: it evaluates them when a value is checked."""

from __future__ import annotations

import ast
import re

from typedtorch.shapes.axes import Axes, Dim

# What is never a size, whatever the names in it stand for.
_NO_SIZE = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Lambda, ast.JoinedStr)
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_SPACES = "spaces separate axes, and an expression such as h*w has none"


def slip(axes: Axes) -> str | None:
    """Why a string says nothing that could hold, in words; None where it may.

    >>> from typedtorch.shapes.axes import parse
    >>> slip(parse("batch (h w)"))
    "'(h' is not an expression in axis names: spaces separate axes, and an expression such as h*w has none"
    >>> slip(parse("batch h*w")) is None
    True
    """
    for i, dim in enumerate(axes.dims):
        if dim.text == "*" and 0 < i < len(axes.dims) - 1:
            return f"{axes.text!r}: {_SPACES}; any number of axes is '...' or '*name'"
        found = problem(dim)
        if found is not None:
            return found
    return None


def problem(dim: Dim) -> str | None:
    """Why one element is no size, or None where it may be one."""
    if dim.kind == "named" and not dim.name and "=" in dim.text:
        return f"{dim.text!r} has no size after '='"
    if dim.kind != "symbolic":
        return None
    tree = _tree(dim.name)
    if tree is None:
        reason = _malformed(dim.name)
        return f"{dim.text!r} is not an expression in axis names" + (f": {reason}" if reason else "")
    return _no_size(dim.text, tree)


def _tree(text: str) -> ast.expr | None:
    """The expression; ``{...}`` is filled in as in an f-string first."""
    try:
        ast.parse(f"f{text!r}", mode="eval")
        return ast.parse(re.sub(r"\{[^{}]*\}", "0", text), mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _malformed(text: str) -> str | None:
    if any(text.count(left) != text.count(right) for left, right in _BRACKETS.items()):
        return _SPACES
    if product := re.fullmatch(r"(\d+)([^\W\d]\w*)", text):
        return f"write {product[1]}*{product[2]}"
    if separator := re.search(r"[:;|]|->", text):
        return f"axes are separated by spaces, not by {separator[0]!r}"
    if text[-1] in "?*" and text[:-1].isidentifier():
        return f"{text[-1]!r} goes in front: {text[-1]}{text[:-1]}"
    return None


def _no_size(text: str, tree: ast.expr) -> str | None:
    """What a well-formed expression is that is no integer, and what to write."""
    match tree:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return f"{text!r} is a comparison: write {ast.unparse(left)}={ast.unparse(right)}"
        case ast.Compare() | ast.BoolOp():
            return f"{text!r} is a truth value, not a size"
        case ast.Constant(value=value) if not isinstance(value, int):
            return f"{text!r} is not an integer"
        case ast.List(elts=[inner]) | ast.Set(elts=[inner]):
            return f"{text!r} is not a size: write {ast.unparse(inner)}"
        case _ if isinstance(tree, _NO_SIZE):
            return f"{text!r} is not a size"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Subscript):
            return f"{text!r}: attributes and items are read inside braces: {{{ast.unparse(node)}}}"
    return None
