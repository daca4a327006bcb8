"""The functions of Python's ``operator`` module: an operator that is handed on as a function."""

from __future__ import annotations

import ast

from typedtorch.shapes.infer.binding import Args, Special
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values import UNKNOWN, Value


def _binary(op: ast.operator) -> Special:
    def apply(frame: Frame, args: Args, node: ast.AST) -> Value:
        if args.open or args.keywords or len(args.values) != 2:
            return UNKNOWN
        left, right = args.values
        operands = (
            _named(args.nodes[0], "the first operand", node),
            _named(args.nodes[1], "the second operand", node),
        )
        return frame.interpreter.operate(frame, node, op, left, right, operands)

    return apply


def _divmod(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``divmod(a, b)``."""
    return tuple(_binary(op)(frame, args, node) for op in (ast.FloorDiv(), ast.Mod()))


def _named(operand: ast.expr | None, name: str, node: ast.AST) -> ast.expr:
    """An operand as a message calls it: ``reduce`` hands on what nothing in the source stands for."""
    return ast.copy_location(ast.Name(name, ast.Load()), node) if operand is None else operand


FUNCTIONS: dict[str, Special] = {
    "operator.add": _binary(ast.Add()), "operator.sub": _binary(ast.Sub()),
    "operator.mul": _binary(ast.Mult()), "operator.truediv": _binary(ast.Div()),
    "operator.floordiv": _binary(ast.FloorDiv()), "operator.mod": _binary(ast.Mod()),
    "operator.pow": _binary(ast.Pow()), "operator.matmul": _binary(ast.MatMult()),
    "operator.and_": _binary(ast.BitAnd()), "operator.or_": _binary(ast.BitOr()),
    "operator.xor": _binary(ast.BitXor()), "operator.rshift": _binary(ast.RShift()),
    "operator.lshift": _binary(ast.LShift()), "builtins.divmod": _divmod,
}  # fmt: skip
