"""New objects: how long what their constructor made of them is all that they are.

Methods may make another tensor of an attribute: of an object that is only known by its class nothing is said
of such a one.  Of an object that a body makes itself each change is seen, as its methods are followed, unless
somebody else may change it too: whom it hands itself out to, or a function that reads it as a global name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.classes.updates import as_later
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.values import Instance
from typedtorch.shapes.syntax import SCOPES, walk

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes.classes import ClassInfo
    from typedtorch.shapes.infer.program.class_text import Def
    from typedtorch.shapes.infer.program.program import Module

# What may be given an object and does not keep it.
_LOOKS = frozenset({"super", "isinstance", "type", "hasattr", "getattr", "len", "repr", "str", "id", "print"})

# Methods that Python calls by itself, and that are followed where it does.
_SEEN = frozenset(
    {"__init__", "__post_init__", "__call__", "__getitem__", "__setitem__", "__enter__", "__exit__"}
    | {f"__{kind}{name}__" for kind in ("", "i") for name in ("add", "sub", "mul", "truediv", "matmul")}
)


def is_followed(frame: Frame, info: ClassInfo, node: ast.AST) -> bool:
    """Whether whoever changes an object that is made here is seen to do it."""
    if _hands_itself_out(info) or _changes_unseen(info):
        return False
    if frame.function is not None:
        return True
    return frame.depth == 0 and _names_at(frame.module, node).isdisjoint(_read_in_functions(frame.module))


def forget_read(frame: Frame) -> None:
    """A function was called that may change the objects of the file which functions read as global names."""
    if frame.function is None and not frame.depth:
        for name in _read_in_functions(frame.module) & frame.state.variables.keys():
            value = frame.state.variables[name]
            if isinstance(value, Instance):
                frame.state.replace_value(value, as_later(value))


@lru_cache(maxsize=4096)  # a class is made many times
def _hands_itself_out(info: ClassInfo) -> bool:
    """``layer.register_forward_hook(self.store)``, ``hub.add(self)``, ``lambda: self.grow()``."""
    methods = {name: found for owner in info.mro() for name, found in owner.methods.items()}
    plain = frozenset(name for name, found in methods.items() if not found[-1].decorator_list)
    return any(_gives_self(definition, plain) for found in methods.values() for definition in found)


@lru_cache(maxsize=4096)  # likewise
def _changes_unseen(info: ClassInfo) -> bool:
    """Whether a method assigns something that Python calls by itself, as ``__len__`` or ``__eq__``."""
    assigning = {name for owner in info.mro() for methods in owner.self_stores.values() for name in methods}
    return any(name.startswith("__") and name not in _SEEN for name in assigning)


def _gives_self(method: Def, methods: Set[str]) -> bool:
    own = [*method.args.posonlyargs, *method.args.args][:1]
    name = own[0].arg if own else None

    def is_self(node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == name

    def is_part(node: ast.AST) -> bool:
        bound = isinstance(node, ast.Attribute) and is_self(node.value) and node.attr in methods
        return bound or is_self(node)

    for node in walk(method)[1:]:
        match node:
            case ast.Call(func=ast.Name(id=function)) if function in _LOOKS:
                continue
            case ast.Call(func=ast.Attribute(attr=called)) if called in methods or called.startswith("__"):
                continue  # ``Base.__init__(self)``
            case ast.Call(args=arguments, keywords=keywords):
                if any(map(is_part, [*arguments, *(keyword.value for keyword in keywords)])):
                    return True
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                if any(map(is_self, walk(node))):
                    return True
            case ast.Assign(value=value) if is_part(value):
                return True
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Dict(values=items):
                if any(map(is_part, items)):
                    return True
    return False


def _names_at(module: Module, node: ast.AST) -> Set[str]:
    """The names of a file that hold, from the statement at a place on, what is made there."""
    line = getattr(node, "lineno", 0)
    return frozenset().union(*(names for first, last, names in _held_at(module) if first <= line <= last))


@lru_cache(maxsize=64)
def _held_at(module: Module) -> tuple[tuple[int, int, Set[str]], ...]:
    own = module.syntax.scopes[module.tree]
    bound = {node.id for node in own if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    found = []
    for whole, targets in (held for node in own for held in _holding(node)):
        names = {n.id for target in targets for n in walk(target) if isinstance(n, ast.Name)}
        found.append((whole.lineno, whole.end_lineno or whole.lineno, frozenset(names & bound)))
    return tuple(found)


def _holding(node: ast.AST) -> Iterator[tuple[ast.stmt | ast.expr, list[ast.expr]]]:
    """A value, or the statement around it, and what holds it from then on."""
    match node:
        case ast.Assign(targets=targets):
            yield node, targets
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target) | ast.NamedExpr(target=target):
            yield node, [target]
        case ast.For(target=target, iter=value):
            yield value, [target]
        case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
            yield value, [target]
        case ast.Call(func=ast.Attribute(value=receiver)):  # ``caches.append(Cache())``
            yield node, [receiver]


@lru_cache(maxsize=64)
def _read_in_functions(module: Module) -> Set[str]:
    """The global names of a file that its functions use."""
    found: set[str] = set()
    for scope, nodes in module.syntax.scopes.items():
        if isinstance(scope, SCOPES) and not isinstance(scope, (ast.Module, ast.ClassDef)):
            names = {node.id for node in nodes if isinstance(node, ast.Name)}
            found |= names - module.facts(scope).local
    return found


__all__ = ["forget_read", "is_followed"]
