"""Faults in views, reductions, joins and products."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mutations.core import called, literal, method, mutator, receiver, redimension, swap_arguments, with_value

REDUCTIONS = {"sum", "mean", "amax", "amin", "max", "min", "argmax", "argmin", "logsumexp", "norm", "std"}
REDUCTIONS |= {"var", "any", "all", "prod"}
CREATION = {"zeros", "ones", "randn", "rand", "empty", "new_zeros", "expand"}


@mutator("drop a transpose")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if call := method(node, {"transpose", "t", "permute", "swapaxes"}):
        yield receiver(call)
    if isinstance(node, ast.Attribute) and node.attr in {"T", "mT"}:
        yield node.value


@mutator("transpose other axes")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if (call := method(node, {"transpose"})) and len(call.args) == 2:
        for i, arg in enumerate(call.args):
            if (value := literal(arg)) is not None:
                yield with_value(call, i, ast.Constant(value - 1))


@mutator("permute in another order")
def _(node: ast.AST) -> Iterator[ast.AST]:
    yield from swap_arguments(method(node, {"permute"}))


@mutator("view in another order")
def _(node: ast.AST) -> Iterator[ast.AST]:
    yield from swap_arguments(method(node, {"view", "reshape"}))


@mutator("lose a factor in a view")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if call := method(node, {"view", "reshape"}):
        for i, arg in enumerate(call.args):
            if isinstance(arg, ast.BinOp) and isinstance(arg.op, ast.Mult):
                yield with_value(call, i, arg.left)


@mutator("flatten from another axis")
def _(node: ast.AST) -> Iterator[ast.AST]:
    call = method(node, {"flatten"})
    if call and call.args and (value := literal(call.args[0])) is not None:
        yield with_value(call, 0, ast.Constant(value + 1))
        yield with_value(call, 0, ast.Constant(value - 1))


@mutator("drop an unsqueeze")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if call := method(node, {"unsqueeze"}):
        yield receiver(call)


@mutator("unsqueeze elsewhere")
def _(node: ast.AST) -> Iterator[ast.AST]:
    yield from redimension(method(node, {"unsqueeze"}))


@mutator("drop a squeeze")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if call := method(node, {"squeeze"}):
        yield receiver(call)


@mutator("expand or create in another order")
def _(node: ast.AST) -> Iterator[ast.AST]:
    yield from swap_arguments(called(node, CREATION))


# Reductions, joins and products.


@mutator("reduce over another axis")
def _(node: ast.AST) -> Iterator[ast.AST]:
    yield from redimension(called(node, REDUCTIONS))


@mutator("drop keepdim")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if (call := called(node)) and any(k.arg == "keepdim" for k in call.keywords):
        yield ast.Call(call.func, call.args, [k for k in call.keywords if k.arg != "keepdim"])


@mutator("drop a reduction")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if (call := method(node, REDUCTIONS)) and ast.unparse(receiver(call)) != "self":
        yield receiver(call)


@mutator("join along another axis")
def _(node: ast.AST) -> Iterator[ast.AST]:
    yield from redimension(called(node, {"cat", "stack", "concat"}))


@mutator("stack for cat")
def _(node: ast.AST) -> Iterator[ast.AST]:
    call = called(node, {"cat", "stack"})
    if call and isinstance(call.func, ast.Attribute):
        other = "stack" if call.func.attr == "cat" else "cat"
        yield ast.Call(ast.Attribute(call.func.value, other), call.args, call.keywords)


@mutator("split along another axis")
def _(node: ast.AST) -> Iterator[ast.AST]:
    yield from redimension(called(node, {"chunk", "split", "unbind"}))


@mutator("matmul in the other order")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        yield ast.BinOp(node.right, ast.MatMult(), node.left)
    yield from swap_arguments(called(node, {"matmul", "bmm", "mm"}))


@mutator("product for matmul")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        yield ast.BinOp(node.left, ast.Mult(), node.right)
