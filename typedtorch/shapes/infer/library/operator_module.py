"""The functions of Python's ``operator`` module: an operator that is handed on as a function."""

from __future__ import annotations

import ast

from typedtorch.shapes.infer.calls.binding import Args, Special
from typedtorch.shapes.infer.expressions import attributes
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.values import UNKNOWN, External, Partial, Tensor, Value


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


def _of_tensors(method: str, number: int) -> Special:
    """An operator that is followed for tensors alone."""

    def apply(frame: Frame, args: Args, node: ast.AST) -> Value:
        if args.open or args.keywords or len(args.values) != number or not isinstance(args.values[0], Tensor):
            return UNKNOWN
        nodes = tuple(_named(operand, "the operand", node) for operand in args.nodes)
        return frame.call_method(args.values[0], method, tuple(args.values[1:]), {}, node, nodes)

    return apply


def getitem(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``getitem(x, i)``."""
    return _item(frame, args.values[0], args.values[1], node) if len(args.values) == 2 else UNKNOWN


def _item(frame: Frame, base: Value, index: Value, node: ast.AST) -> Value:
    from typedtorch.shapes.infer.expressions.subscripts import item  # noqa: PLC0415 - it holds what holds this table

    read = ast.Subscript(_named(None, "the item", node), _named(None, "index", node), ast.Load())
    return item(frame, base, index, ast.copy_location(read, node))


def _getter(name: str) -> Special:
    """``itemgetter(1)``: a function of which what it gets is known already."""

    def make(frame: Frame, args: Args, node: ast.AST) -> Value:
        if args.open or not args.values:
            return UNKNOWN
        return Partial(External(f"{name} of"), (tuple(args.values), tuple(args.keywords.items())))

    return make


def _items_of(frame: Frame, args: Args, node: ast.AST) -> Value:
    keys, _, value = args.values
    found = tuple(_item(frame, value, key, node) for key in keys)
    return found[0] if len(keys) == 1 else found


def _attributes_of(frame: Frame, args: Args, node: ast.AST) -> Value:
    names, _, value = args.values
    found = []
    for name in names:
        held = value
        for part in name.split(".") if isinstance(name, str) else ():
            held = attributes.get(frame, held, part, node)
        found.append(held if isinstance(name, str) else UNKNOWN)
    return found[0] if len(names) == 1 else tuple(found)


def _method_of(frame: Frame, args: Args, node: ast.AST) -> Value:
    (name, *values), keywords, value = args.values
    if not isinstance(name, str):
        return UNKNOWN
    method = attributes.get(frame, value, name, node)
    return frame.call(method, Args(values, [None] * len(values), dict(keywords)), node)


def _of_one(got: Special) -> Special:
    def apply(frame: Frame, args: Args, node: ast.AST) -> Value:
        return UNKNOWN if args.open or args.keywords or len(args.values) != 3 else got(frame, args, node)

    return apply


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
    **{f"operator.{name}": _of_tensors(f"__{name}__", 2) for name in (
        "eq", "ne", "lt", "le", "gt", "ge",
    )},
    **{f"operator.{name}": _of_tensors(f"__{name}__", 1) for name in ("neg", "pos", "abs", "invert")},
    "operator.getitem": getitem,
    **{f"operator.{name}": _getter(f"operator.{name}") for name in (
        "itemgetter", "attrgetter", "methodcaller",
    )},
    "operator.itemgetter of": _of_one(_items_of), "operator.attrgetter of": _of_one(_attributes_of),
    "operator.methodcaller of": _of_one(_method_of),
}  # fmt: skip
