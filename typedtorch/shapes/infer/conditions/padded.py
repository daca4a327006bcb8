"""Tests that may say whether an axis had to be padded: on one of their ways it is as long as before."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from typedtorch.shapes.infer.conditions.places import look
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.contents import sizes_in
from typedtorch.shapes.infer.values.values import UNKNOWN, Scalar
from typedtorch.shapes.size import Poly, atoms
from typedtorch.shapes.taken import forget_padding, has_padding, names_of_padding


def ask(frame: Frame, test: ast.expr) -> None:
    """Forgets what was padded where a test that is about to be evaluated may say whether it had to be."""
    if has_padding() and any(_may_say(frame, place) for place in _places(test)):
        forget_padding()


def is_rest(frame: Frame, node: ast.stmt | ast.expr) -> bool:
    """Whether a test without ``else`` asks for a rest: ``t % w``, ``t % w != 0``, ``pad > 0`` of such a pad.

    Where there is one, no more follows than that an axis is no multiple.
    """
    match node:
        case ast.If(test=test, orelse=[]):
            return is_rest(frame, test)
        case ast.Compare(left=left, ops=[ast.NotEq() | ast.Gt()], comparators=[ast.Constant(value=0)]):
            return is_rest(frame, left)
        case ast.Name() | ast.BinOp(op=ast.Mod()):
            asked = look(frame, node)
            return (
                isinstance(asked, Poly)
                and len(asked.terms) > 1
                and any(a.kind == "floor" for a in atoms(asked))
            )
    return False


def _places(test: ast.expr) -> Iterator[ast.expr]:
    """The names, attributes and items in a test, each as a whole, and what methods are called on."""
    todo: list[ast.AST] = [test]
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            yield node
        elif isinstance(node, ast.Call):
            todo += [*node.args, *(keyword.value for keyword in node.keywords)]
            todo += [node.func.value] if isinstance(node.func, ast.Attribute) else []
        else:
            todo += ast.iter_child_nodes(node)


def _may_say(frame: Frame, place: ast.expr) -> bool:
    """Whether it holds a size that an axis was padded by, or may have come of one."""
    value = look(frame, place)
    if isinstance(place, ast.Name) and (value is UNKNOWN or isinstance(value, Scalar)):
        return frame.function is None or place.id not in _parameters(frame.function.node.args)
    return bool(sizes_in(value) & names_of_padding())


def _parameters(arguments: ast.arguments) -> set[str]:
    return {argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
