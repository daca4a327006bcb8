"""Faults in dtypes and in annotations."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mutations.core import method, mutator, receiver

CASTS = {"float", "long", "bool", "half", "int"}
WRAPPERS = {"Float", "Int", "Bool", "Complex", "UInt8", "Shaped"}


@mutator("drop a cast")
def _(node: ast.AST) -> Iterator[ast.AST]:
    call = method(node, CASTS)
    if call and not call.args:
        yield receiver(call)


@mutator("cast to another dtype")
def _(node: ast.AST) -> Iterator[ast.AST]:
    other = {"long": "float", "float": "long", "bool": "float", "int": "float"}
    call = method(node, set(other))
    if call and not call.args and isinstance(call.func, ast.Attribute):
        yield ast.Call(ast.Attribute(call.func.value, other[call.func.attr]), [], [])


@mutator("create with another dtype")
def _(node: ast.AST) -> Iterator[ast.AST]:
    other = {"long": "float32", "bool": "float32", "float32": "long"}
    if isinstance(node, ast.Attribute) and node.attr in other and ast.unparse(node.value) == "torch":
        yield ast.Attribute(node.value, other[node.attr])


@mutator("values for indices")
def _(node: ast.AST) -> Iterator[ast.AST]:
    swap = {"argmax": "amax", "argmin": "amin"}
    call = method(node, set(swap))
    if call and isinstance(call.func, ast.Attribute):
        yield ast.Call(ast.Attribute(call.func.value, swap[call.func.attr]), call.args, call.keywords)


# Annotations.


def _annotation(node: ast.AST) -> tuple[str, ast.expr, list[str]] | None:
    match node:
        case ast.Subscript(ast.Name(name), ast.Tuple([array, ast.Constant(str(axes))])) if name in WRAPPERS:
            return name, array, axes.split()
    return None


def _annotated(name: str, array: ast.expr, axes: list[str]) -> ast.AST:
    return ast.Subscript(ast.Name(name), ast.Tuple([array, ast.Constant(" ".join(axes))]))


@mutator("swap axes of an annotation")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if found := _annotation(node):
        name, array, axes = found
        for i in range(len(axes) - 1):
            if axes[i] != axes[i + 1]:
                yield _annotated(name, array, [*axes[:i], axes[i + 1], axes[i], *axes[i + 2 :]])


@mutator("forget an axis of an annotation")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if (found := _annotation(node)) and found[2]:
        name, array, axes = found
        yield _annotated(name, array, axes[1:])
        yield _annotated(name, array, axes[:-1])


@mutator("repeat an axis of an annotation")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if (found := _annotation(node)) and len(found[2]) >= 2 and found[2][0].isidentifier():
        name, array, axes = found
        yield _annotated(name, array, [*axes[:-1], axes[0]])


@mutator("another number in an annotation")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if found := _annotation(node):
        name, array, axes = found
        for i, axis in enumerate(axes):
            if axis.isdigit():
                yield _annotated(name, array, [*axes[:i], str(int(axis) + 1), *axes[i + 1 :]])


@mutator("another dtype in an annotation")
def _(node: ast.AST) -> Iterator[ast.AST]:
    if found := _annotation(node):
        name, array, axes = found
        yield _annotated("Int" if name == "Float" else "Float", array, axes)
