"""What is wrong with an annotation before any value meets it: its parts, and what its string can never mean.

jaxtyping takes many of these strings, since it evaluates an expression only when it checks a value.
"""

from __future__ import annotations

import ast
import builtins
import re
from functools import lru_cache

from typedtorch.shapes.axes import Axes, Dim

# What is never a size, whatever the names in it stand for.
_NO_SIZE = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Lambda, ast.JoinedStr)
_ARRAY = re.compile(r"(^|\.)(Tensor|Array|ndarray)$")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_SIGNS = ("+", "-", "/", "//", "%", "**")
_GROUP = re.compile(r"(?<!\S)\((\w+(?: +\w+)+)\)(?!\S)")  # of einops
_SPACES = "spaces separate axes, and an expression such as h*w has none"


@lru_cache(maxsize=4096)
def slip(axes: Axes) -> str | None:
    """Why a string says nothing that could hold, in words; None where it may.

    >>> from typedtorch.shapes.axes import parse
    >>> slip(parse("batch (h w)"))
    "'batch (h w)': spaces separate axes, and an expression such as h*w has none: write h*w for (h w)"
    >>> slip(parse("batch h*w")) is None
    True
    """
    if group := _GROUP.search(axes.text):
        product = "*".join(group[1].split())
        return f"{axes.text!r}: {_SPACES}: write {product} for {group[0]}"
    for i, dim in enumerate(axes.dims):
        if dim.text == "*" and 0 < i < len(axes.dims) - 1:
            return f"{axes.text!r}: {_SPACES}; any number of axes is '...' or '*name'"
        if dim.text in _SIGNS and 0 < i < len(axes.dims) - 1:
            whole = axes.dims[i - 1].text + dim.text + axes.dims[i + 1].text
            return f"{axes.text!r}: {_SPACES}: write {whole}"
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


def wrapper_slip(wrapper: str, inside: ast.expr) -> str | None:
    """Why ``wrapper[inside]`` is not an array type and a string, and what to write; None where it may be.

    >>> wrapper_slip("Float", ast.parse("Tensor, 'b', 'd'", mode="eval").body)
    "Float[Tensor, 'b', 'd']: axes are one string: write Float[Tensor, 'b d']"
    """
    given = ast.unparse(inside).removeprefix("(").removesuffix(")") if isinstance(inside, ast.Tuple) else ""
    match inside:
        case ast.Constant(value=str()):
            text = ast.unparse(inside)
            return f"{wrapper}[{text}] has no array type: write {wrapper}[Tensor, {text}]"
        case ast.Tuple(elts=[ast.Constant(value=str()) as text, array]) if _ARRAY.search(ast.unparse(array)):
            wanted = f"{ast.unparse(array)}, {ast.unparse(text)}"
            return f"{wrapper}[{given}]: the array type comes first: write {wrapper}[{wanted}]"
        case ast.Tuple(elts=[array, ast.Tuple(elts=parts) | ast.List(elts=parts)]):
            return _one_string(wrapper, given, array, parts)
        case ast.Tuple(elts=[array, ast.Constant(value=value) as axis]) if not isinstance(value, str):
            return _one_string(wrapper, given, array, [axis])
        case ast.Tuple(elts=[array, *parts]) if len(parts) > 1:
            return _one_string(wrapper, given, array, parts)
        case ast.Tuple():
            return None
    text = ast.unparse(inside)
    return f"{wrapper}[{text}] has no axes: write {wrapper}[{text}, '...'] for any shape"


def _one_string(wrapper: str, given: str, array: ast.expr, parts: list[ast.expr]) -> str:
    """Axes as jaxtyping's predecessors and ``typing`` would have them."""
    wanted = " ".join(_axis(part) for part in parts)
    return f"{wrapper}[{given}]: axes are one string: write {wrapper}[{ast.unparse(array)}, {wanted!r}]"


def _axis(part: ast.expr) -> str:
    match part:
        case ast.Constant(value=str() as text):
            return text
        case ast.Constant(value=None) | ast.Constant(value=builtins.Ellipsis):
            return "..."
        case _:
            return ast.unparse(part)
