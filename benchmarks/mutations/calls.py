"""Faults in patterns, calls, layers and indices."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator

from mutations.core import called, last, literal, mutator, swap_arguments, swapped, with_value

# Swapping what is not a tensor is for a type checker to find; the rest have mutators of their own.
LEFT_ALONE = {
    "view",
    "reshape",
    "permute",
    "transpose",
    "range",
    "matmul",
    "bmm",
    "mm",
    "einsum",
    "map",
    "zip",
}
LEFT_ALONE |= {"zeros", "ones", "randn", "rand", "empty", "full", "new_zeros", "new_full", "expand", "repeat"}
LEFT_ALONE |= {"cast", "register_buffer", "clip_grad_norm_", "randint", "rearrange", "reduce", "setattr"}


def _patterns(node: ast.AST, names: set[str]) -> Iterator[tuple[ast.Call, int, str, str]]:
    if call := called(node, names):
        for i, arg in enumerate(call.args):
            if isinstance(arg, ast.Constant) and isinstance(arg.value, str) and "->" in arg.value:
                left, right = arg.value.split("->")
                yield call, i, left, right


def _letters(text: str) -> list[str]:
    return re.findall(r"[A-Za-z_]\w*", text) if " " in text.strip() else re.findall(r"[A-Za-z]", text)


def _swap_names(text: str) -> Iterator[str]:
    names = list(dict.fromkeys(_letters(text)))
    sign = r"\b{}\b" if " " in text.strip() else "{}"
    for a, b in itertools.pairwise(names):
        swapped = re.sub(
            f"{sign.format(a)}|{sign.format(b)}", lambda m, a=a, b=b: b if m[0] == a else a, text
        )
        yield swapped


@mutator("swap letters of an einsum result")
def _(node: ast.AST) -> Iterator[ast.AST]:
    for call, i, left, right in _patterns(node, {"einsum"}):
        for other in _swap_names(right):
            yield with_value(call, i, ast.Constant(f"{left}->{other}"))


@mutator("swap letters of an einsum operand")
def _(node: ast.AST) -> Iterator[ast.AST]:
    for call, i, left, right in _patterns(node, {"einsum"}):
        operands = left.split(",")
        for j, operand in enumerate(operands):
            for other in _swap_names(operand):
                yield with_value(
                    call, i, ast.Constant(",".join([*operands[:j], other, *operands[j + 1 :]]) + "->" + right)
                )


@mutator("swap names in a rearrange")
def _(node: ast.AST) -> Iterator[ast.AST]:
    for call, i, left, right in _patterns(node, {"rearrange", "reduce", "repeat", "Rearrange"}):
        for other in _swap_names(right):
            yield with_value(call, i, ast.Constant(f"{left}->{other}"))


# Calls, modules and indices.


@mutator("swap arguments")
def _(node: ast.AST) -> Iterator[ast.AST]:
    call = called(node)
    if call and len(call.args) >= 2 and last(call.func)[:1].islower() and last(call.func) not in LEFT_ALONE:
        for new in swap_arguments(call):
            moved = [a for a, b in zip(call.args, new.args, strict=True) if a is not b]
            if not any(isinstance(a, ast.Constant | ast.Lambda | ast.UnaryOp) for a in moved):
                yield new


@mutator("swap the sizes of a layer")
def _(node: ast.AST) -> Iterator[ast.AST]:
    call = called(node, {"Linear", "Embedding", "Conv1d", "Conv2d", "ConvTranspose2d", "LSTMCell"})
    if call:
        yield from list(swap_arguments(call))[:1]


@mutator("a wrong size of a layer")
def _(node: ast.AST) -> Iterator[ast.AST]:
    call = called(
        node, {"Linear", "LayerNorm", "Conv1d", "Conv2d", "BatchNorm1d", "BatchNorm2d", "GroupNorm"}
    )
    if call:
        for i, arg in enumerate(call.args[:2]):
            if not (last(call.func) == "GroupNorm" and i == 0):
                yield with_value(call, i, ast.BinOp(arg, ast.Mult(), ast.Constant(2)))


@mutator("a sum off by one")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) and literal(node.right) == 1:
        yield node.left


@mutator("use another layer of self")
def _(node: ast.AST) -> Iterator[ast.AST]:
    pairs = [("q", "o"), ("up", "down"), ("wi", "wo"), ("w1", "w2"), ("c_fc", "c_proj"), ("fc1", "fc3")]
    pairs += [("conv1", "conv2"), ("norm1", "norm2"), ("qkv", "proj"), ("q_proj", "head"), ("wq", "wk")]
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        for a, b in [*pairs, *((b, a) for a, b in pairs)]:
            if node.attr == a:
                yield ast.Attribute(node.value, b)


@mutator("swap what is returned")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
        for elements in swapped(node.value.elts):
            yield ast.Return(ast.Tuple(elements))


@mutator("swap what is unpacked")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
        for elements in swapped(node.targets[0].elts):
            yield ast.Assign([ast.Tuple(elements)], node.value, lineno=0)


@mutator("drop a full slice")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        elements = node.slice.elts
        for i, e in enumerate(elements):
            if isinstance(e, ast.Slice) and not (e.lower or e.upper or e.step):
                rest = elements[:i] + elements[i + 1 :]
                yield ast.Subscript(node.value, rest[0] if len(rest) == 1 else ast.Tuple(rest))
                break


@mutator("drop a None index")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        elements = node.slice.elts
        for i, e in enumerate(elements):
            if isinstance(e, ast.Constant) and e.value is None:
                rest = elements[:i] + elements[i + 1 :]
                yield ast.Subscript(node.value, rest[0] if len(rest) == 1 else ast.Tuple(rest))
                break


@mutator("an int for a slice")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        for i, e in enumerate(node.slice.elts):
            if isinstance(e, ast.Slice) and (e.lower or e.upper) and not e.step:
                elements = list(node.slice.elts)
                elements[i] = e.lower or ast.Constant(0)
                yield ast.Subscript(node.value, ast.Tuple(elements))
