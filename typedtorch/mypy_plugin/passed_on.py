"""Modules that are given to other functions: ``map(net, xs)``, ``pool.submit(net, x)``, ``partial(net, x)``.

What such a function returns is made of what the module returns, which is known as loosely there as where the
program calls the module itself.
"""

from __future__ import annotations

from collections.abc import Callable

from mypy.nodes import Decorator, FuncBase, SymbolTableNode, TypeInfo, Var
from mypy.options import Options
from mypy.plugin import FunctionContext, MethodContext
from mypy.plugins.default import DefaultPlugin
from mypy.plugins.functools import partial_new_callback
from mypy.type_visitor import TypeTranslator
from mypy.types import (
    CallableType,
    FunctionLike,
    Instance,
    TupleType,
    Type,
    TypeAliasType,
    TypeVarType,
    UnionType,
    get_proper_type,
)

from typedtorch.mypy_plugin.module_use import is_typed_here, loosely
from typedtorch.mypy_plugin.signatures import called

PARTIAL = "functools.partial"
Lookup = Callable[[str], SymbolTableNode | None]


class Functions:
    """Which functions return what a function that they are given returns, or something made of that."""

    def __init__(self, lookup: Lookup, mypys: DefaultPlugin, options: Options) -> None:
        self._lookup = lookup
        self._others = (mypys.get_function_hook, mypys.get_method_hook)
        self._known: dict[str, bool] = {}
        self.files_change = options.fine_grained_incremental

    def call_another(self, fullname: str) -> bool:
        """Whether a function, a class or (with the name of its class) a method is one of them."""
        if self.files_change or fullname not in self._known:
            asks_mypys = any(hook(fullname) for hook in self._others)
            self._known[fullname] = not asks_mypys and self._calls_another(fullname)
        return self._known[fullname]

    def _calls_another(self, fullname: str) -> bool:
        found = self._lookup(fullname)
        if found is None:
            owner, _, name = fullname.rpartition(".")
            above = self._lookup(owner)
            found = above.node.get(name) if above is not None and isinstance(above.node, TypeInfo) else None
        node = found.node if found is not None else None
        if isinstance(node, TypeInfo):
            return any(_takes_function(made) for made in map(node.get, ("__new__", "__init__")) if made)
        return found is not None and _takes_function(found)


def _takes_function(symbol: SymbolTableNode) -> bool:
    """Whether a parameter is a ``Callable[..., T]``."""
    node = symbol.node
    declared = node.type if isinstance(node, FuncBase | Decorator | Var) else None
    signature = get_proper_type(declared) if declared is not None else None
    if not isinstance(signature, FunctionLike):
        return False
    wanted = [get_proper_type(of) for item in signature.items for of in item.arg_types]
    return any(isinstance(of, CallableType) and isinstance(of.ret_type, TypeVarType) for of in wanted)


def passed_on(ctx: FunctionContext | MethodContext) -> Type:
    """The result of such a function, with what a module that it was given returns."""
    return _with_loose_results(ctx.default_return_type, ctx)


def partial_of(ctx: FunctionContext) -> Type:
    """``partial(net, x)``, as mypy's own plugin has it, but for what its call returns."""
    result = get_proper_type(partial_new_callback(ctx))
    if not isinstance(result, Instance) or result.extra_attrs is None:
        return result
    loose = _with_loose_results(result, ctx)
    if isinstance(loose, Instance):
        loose.extra_attrs = result.extra_attrs.copy()
        loose.extra_attrs.attrs = {
            name: _with_loose_results(of, ctx) for name, of in result.extra_attrs.attrs.items()
        }
    return loose


def _with_loose_results(result: Type, ctx: FunctionContext | MethodContext) -> Type:
    for given in (get_proper_type(each) for several in ctx.arg_types for each in several):
        if isinstance(given, Instance) and is_typed_here(given.type):
            for signature in called(given, ctx):
                known, loose = get_proper_type(signature.ret_type), loosely(signature.ret_type)
                if known != loose:
                    result = result.accept(_Replace(known, loose))
    return result


class _Replace(TypeTranslator):
    """One type for another, wherever it stands in a third."""

    def __init__(self, old: Type, new: Type) -> None:
        super().__init__()
        self._old = old
        self._new = new

    def visit_union_type(self, t: UnionType) -> Type:
        return self._new if t == self._old else super().visit_union_type(t)

    def visit_tuple_type(self, t: TupleType) -> Type:
        return self._new if t == self._old else super().visit_tuple_type(t)

    def visit_instance(self, t: Instance) -> Type:
        return self._new if t == self._old else super().visit_instance(t)

    def visit_type_alias_type(self, t: TypeAliasType) -> Type:
        return t
