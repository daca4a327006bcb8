"""Items of ``nn.ModuleList``, ``nn.Sequential`` and ``nn.ModuleDict`` as what they were built from.

torch says that an item is a ``Module``.  mypy's hooks see the expression that is iterated or indexed: where
that is an attribute whose class builds it in plain sight, its items have the class that was called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeGuard

from mypy.checker import TypeChecker
from mypy.nodes import (
    CallExpr,
    Context,
    Expression,
    IndexExpr,
    IntExpr,
    MemberExpr,
    RefExpr,
    SliceExpr,
    UnaryExpr,
)
from mypy.plugin import FunctionContext, MethodContext
from mypy.types import Instance, TupleType, Type, get_proper_type

from typedtorch.mypy_plugin.facts import Facts
from typedtorch.mypy_plugin.module_call import is_module

if TYPE_CHECKING:
    from typedtorch.shapes.module_containers import Container

_PREFIX = "torch.nn.modules.container."
METHODS = {
    f"{_PREFIX}{kind}.{method}"
    for kind, methods in {
        "ModuleList": ("__iter__", "__getitem__"),
        "Sequential": ("__iter__", "__getitem__"),
        "ModuleDict": ("__getitem__", "values", "items"),
    }.items()
    for method in methods
}
FUNCTIONS = {"builtins.enumerate", "builtins.zip", "builtins.reversed"}


class Containers:
    """Answers for methods of containers, and for builtins that pass items on."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def method(self, name: str, ctx: MethodContext) -> Type:
        """The result of a method of a container, with the items' own class."""
        receiver = _receiver(name, ctx)
        place = ctx.context if name == "__getitem__" else receiver
        if receiver is None or place is None or not self._harmless(place, ctx.api):
            return ctx.default_return_type
        found = self._container(receiver, ctx.api)
        if found is None:
            return ctx.default_return_type
        held, module = found
        if name == "__getitem__":
            return self._item(held, module, ctx) or ctx.default_return_type
        item = self._common(held.items, module)
        return ctx.default_return_type if item is None else _replace_last(ctx.default_return_type, item)

    def function(self, ctx: FunctionContext) -> Type:
        """``enumerate(self.blocks)``, ``zip(self.blocks, x)``: the same result, with the items' own class."""
        result = get_proper_type(ctx.default_return_type)
        if not isinstance(result, Instance) or not result.args or not self._harmless(ctx.context, ctx.api):
            return ctx.default_return_type
        given = [expression for expressions in ctx.args for expression in expressions]
        inner = get_proper_type(result.args[0])
        if result.type.name == "zip":
            items: Type | None = self._zipped(given, inner, ctx.api)
        elif given and isinstance(inner, TupleType) and _is_zip(given[0]):
            items = self._zipped(given[0].args, inner, ctx.api)
        else:
            items = self.iterated(given[0], ctx.api) if given else None
        return ctx.default_return_type if items is None else result.copy_modified(args=[items])

    def _zipped(self, iterables: Sequence[Expression], pair: Type, api: object) -> TupleType | None:
        """What ``zip`` puts together, with the items' own class; None where nothing is gained."""
        items = [self.iterated(expression, api) for expression in iterables]
        if not any(items) or not isinstance(pair, TupleType) or len(pair.items) > len(items):
            return None
        pairs = zip(items, pair.items, strict=False)  # an argument ``strict`` comes after the iterables
        return pair.copy_modified(items=[item or old for item, old in pairs])

    def iterated(self, expression: Expression, api: object) -> Instance | None:
        """The class of what iterating a list of modules gives; None where that is not seen."""
        found = self._container(expression, api)
        if found is None or found[0].kind == "ModuleDict":
            return None
        return self._common(found[0].items, found[1])

    def _harmless(self, place: Context, api: object) -> bool:
        """Whether the more exact type stays where it is."""
        source = self.facts.checked(api)
        return source is not None and (place.line, place.column) in source.harmless_places

    def _container(self, expression: Expression, api: object) -> tuple[Container, str] | None:
        """What ``object.name`` holds, and the module whose names that is written in."""
        if not isinstance(expression, MemberExpr) or not isinstance(api, TypeChecker):
            return None
        if not api.has_type(expression.expr):
            return None
        owner = get_proper_type(api.lookup_type(expression.expr))
        if not isinstance(owner, Instance) or not is_module(owner.type):
            return None
        for base, facts in self.facts.family(owner.type):
            if facts is None:
                return None
            source = self.facts.source(base.module_name)
            if expression.name in facts.defined and source is not None:
                below = any(expression.name in sub.defined for sub in source.subclasses(base.name))
                held = None if below else facts.containers.get(expression.name)
                return None if held is None else (held, base.module_name)
        return None

    def _item(self, held: Container, module: str, ctx: MethodContext) -> Instance | None:
        index = ctx.args[0][0] if ctx.args and ctx.args[0] else None
        if index is None or isinstance(index, SliceExpr):
            return None
        position = _position(index)
        if held.fixed and held.kind != "ModuleDict" and position is not None:
            if not -len(held.items) <= position < len(held.items):
                return None
            return self.facts.module_class(held.items[position], module)
        given = get_proper_type(ctx.arg_types[0][0])
        is_index = isinstance(given, Instance) and given.type.fullname in ("builtins.int", "builtins.str")
        return self._common(held.items, module) if is_index else None

    def _common(self, names: tuple[str, ...], module: str) -> Instance | None:
        """The one class that all names mean."""
        classes = [self.facts.module_class(name, module) for name in set(names)]
        first = classes[0]
        same = first is not None and all(c is not None and c.type is first.type for c in classes)
        return first if same else None


def _receiver(name: str, ctx: MethodContext) -> Expression | None:
    """The expression that a method is called on; mypy gives the loop's, the subscript's or the call's."""
    context = ctx.context
    if name == "__getitem__":
        return context.base if isinstance(context, IndexExpr) else None
    if name == "__iter__":
        return context if isinstance(context, MemberExpr) else None
    callee = getattr(context, "callee", None)
    return callee.expr if isinstance(callee, MemberExpr) else None


def _is_zip(expression: Expression) -> TypeGuard[CallExpr]:
    return (
        isinstance(expression, CallExpr)
        and isinstance(expression.callee, RefExpr)
        and expression.callee.fullname == "builtins.zip"
    )


def _position(index: Expression) -> int | None:
    if isinstance(index, IntExpr):
        return index.value
    if isinstance(index, UnaryExpr) and index.op == "-" and isinstance(index.expr, IntExpr):
        return -index.expr.value
    return None


def _replace_last(result: Type, item: Instance) -> Type:
    """``Iterator[Module]`` becomes ``Iterator[Block]``, ``Iterable[tuple[str, Module]]`` likewise."""
    proper = get_proper_type(result)
    if not isinstance(proper, Instance) or not proper.args:
        return result
    pair = get_proper_type(proper.args[-1])
    if isinstance(pair, TupleType):
        return proper.copy_modified(args=[pair.copy_modified(items=[*pair.items[:-1], item])])
    return proper.copy_modified(args=[*proper.args[:-1], item])
