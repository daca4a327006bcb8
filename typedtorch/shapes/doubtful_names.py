"""Names that hold the result of a module, and of which a program expects more than its type says."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from typedtorch.shapes.syntax import Syntax, dotted, walk

# Of their arguments builtins make one of several types: the sum of none is 0, the least is a number, or not.
COMBINES = frozenset({"sum", "min", "max"})
# A packed sequence goes through an LSTM under the name of a tensor.
_UNPACKS = frozenset({"pad_packed_sequence"})
# What programs set of a tensor that tensors have.
_OF_TENSORS = frozenset({"data", "grad", "requires_grad", "names"})


def none_names(syntax: Syntax) -> Iterator[str]:
    """``self.cache = None``, and ``cache = None`` in the body of a class."""
    for scope, nodes in syntax.scopes.items():
        for node in nodes:
            if not isinstance(node, ast.Assign | ast.AnnAssign):
                continue
            if not (isinstance(node.value, ast.Constant) and node.value.value is None):
                continue
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Attribute):
                    yield target.attr
                elif isinstance(target, ast.Name) and isinstance(scope, ast.ClassDef):
                    yield target.id


def beside_none(node: ast.AST, nothing: frozenset[str]) -> Iterator[ast.expr]:
    """``y`` of ``self.memory + y``, where a method leaves the memory as None."""
    match node:
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            for one, other in ((left, right), (right, left)):
                if isinstance(one, ast.Attribute) and one.attr in nothing:
                    yield other


def marked(nodes: list[ast.AST]) -> set[str]:
    """Names whose values get attributes of the program's own, ``loss.weight = 0.5``."""
    return {
        node.value.id
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.attr not in _OF_TENSORS
    }


def combined(nodes: list[ast.AST]) -> set[str]:
    """Names in what ``sum`` and its like are given, and in what that goes through."""
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    given = [argument for call in calls if _combines(call.func) for argument in call.args]
    return {node.id for argument in given for node in walk(argument) if isinstance(node, ast.Name)}


def gone_through(nodes: list[ast.AST]) -> set[str]:
    """Names of which all values are asked for: those of a TypedDict are objects to mypy."""
    return {
        node.value.id
        for node in nodes
        if isinstance(node, ast.Attribute)
        and node.attr in ("items", "values")
        and isinstance(node.value, ast.Name)
    }


def keyed(nodes: list[ast.AST]) -> set[str]:
    """Names of which a part is asked for by a name: of a TypedDict mypy wants the key itself."""
    return {
        node.value.id
        for node in nodes
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and not isinstance(node.slice, ast.Constant | ast.Slice | ast.Tuple | ast.UnaryOp)
    }


def _combines(function: ast.expr) -> bool:
    if isinstance(function, ast.Name) and function.id in COMBINES:
        return True
    return (dotted(function) or "").rpartition(".")[2] in _UNPACKS


def gathered(scope: ast.AST) -> set[str]:
    """``*x`` and ``**options`` of a function: a tuple and a dict, whatever they are bound to later."""
    arguments = getattr(scope, "args", None)
    if not isinstance(arguments, ast.arguments):
        return set()
    return {several.arg for several in (arguments.vararg, arguments.kwarg) if several is not None}
