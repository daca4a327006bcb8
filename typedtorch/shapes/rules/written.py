"""Operands as the program writes them: where brackets belong, and which call in them gave up an axis."""

from __future__ import annotations

import ast
from functools import lru_cache

_REDUCTIONS = frozenset(
    ("sum", "mean", "amax", "amin", "var", "std", "norm", "logsumexp", "all", "any", "prod", "median")
)
# What leaves the axes of a tensor alone, and so hands on one that is kept.
_ELEMENTWISE = frozenset(
    ("clamp", "clamp_min", "clamp_max", "clip", "sqrt", "rsqrt", "exp", "log", "abs", "pow", "square",
     "float", "double", "half", "detach", "neg", "reciprocal", "add", "mul", "div", "log1p", "to")
)  # fmt: skip
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)


def called(operand: str) -> str:
    """An operand that a method can be called on: in brackets where it needs them.

    >>> called("a + b"), called("f(a + b)")
    ('(a + b)', 'f(a + b)')
    """
    depth = 0
    for letter in operand:
        depth += (letter in "([") - (letter in ")]")
        if letter == " " and depth == 0:
            return f"({operand})"
    return operand


def reduction_along(operand: str, back: int, rank: int) -> str | None:
    """The call in an operand of so many axes that gave up axis ``back``, whose ``keepdim`` would keep it.

    >>> reduction_along("mask.sum(dim=1).clamp(min=1.0)", -1, 1)
    'mask.sum(dim=1)'
    >>> reduction_along("g.norm(dim=-1) + 1e-07", -1, 1)
    'g.norm(dim=-1)'
    >>> reduction_along("x.sum(dim=0)", -1, 1)
    """
    node = _parsed(operand)
    while node is not None:
        if isinstance(node, ast.Call) and _reduces(node):
            taken = _axis_given(node)
            placed = taken if taken is None or taken < 0 else taken - rank - 1
            return ast.unparse(node) if placed == back else None
        node = _under(node)
    return None


@lru_cache(maxsize=256)
def _parsed(operand: str) -> ast.expr | None:
    try:
        return ast.parse(operand, mode="eval").body
    except SyntaxError:  # a long one is shortened
        return None


def _under(node: ast.expr) -> ast.expr | None:
    """What an elementwise operation with numbers is applied to."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in _ELEMENTWISE:
            return inner
        case ast.Attribute(value=inner, attr="values"):
            return inner
        case ast.BinOp(left=inner, right=ast.Constant()) if isinstance(node.op, _ARITHMETIC):
            return inner
        case ast.BinOp(left=ast.Constant(), right=inner) if isinstance(node.op, _ARITHMETIC):
            return inner
        case ast.UnaryOp(operand=inner):
            return inner
        case ast.Call(func=ast.Attribute(attr=name), args=[inner]) if name in _ELEMENTWISE:
            return inner  # torch.sqrt(x.mean(1))
    return None


def _reduces(node: ast.Call) -> bool:
    named = isinstance(node.func, ast.Attribute) and node.func.attr in _REDUCTIONS
    return named and not any(k.arg in ("keepdim", "keepdims") for k in node.keywords)


def _axis_given(node: ast.Call) -> int | None:
    """The axis that a reduction is told, as a number."""
    given = [k.value for k in node.keywords if k.arg in ("dim", "axis")]
    of_method = isinstance(node.func, ast.Attribute) and not _is_module(node.func.value)
    power = isinstance(node.func, ast.Attribute) and node.func.attr == "norm"  # its order comes first
    given = given or node.args[(not of_method) + power :][:1]
    try:
        value = ast.literal_eval(given[0]) if given else None
    except (ValueError, TypeError):
        return None
    return value if type(value) is int else None


def _is_module(node: ast.expr) -> bool:
    return ast.unparse(node) in ("torch", "np", "numpy", "torch.linalg", "np.linalg", "numpy.linalg")
