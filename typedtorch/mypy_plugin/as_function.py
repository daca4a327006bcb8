"""Modules that stand where a function is wanted: ``loss: Callable[[Tensor, Tensor], Tensor] = L1()``.

To mypy alone a module takes anything and returns anything.  Whoever calls it by position does not care what
``forward`` calls its parameters, though a protocol names its own; and what it returns is known as loosely as
where the program calls the module itself.
"""

from __future__ import annotations

from mypy.nodes import ARG_OPT, ARG_STAR, ARG_STAR2, CallExpr, SuperExpr, TypeInfo
from mypy.plugin import AttributeContext
from mypy.types import (
    AnyType,
    CallableType,
    Instance,
    Overloaded,
    Type,
    TypeOfAny,
    UnpackType,
    get_proper_type,
)

from typedtorch.mypy_plugin.facts import Facts
from typedtorch.mypy_plugin.module_use import loosely, made_to_be_overridden
from typedtorch.mypy_plugin.signatures import of_forward


def as_function(facts: Facts, ctx: AttributeContext) -> Type:
    """What ``module.__call__`` is: its parameters by position, as far as ``forward`` says what they are."""
    module = get_proper_type(ctx.type)
    if ctx.is_lvalue or isinstance(ctx.context, SuperExpr) or not isinstance(module, Instance):
        return ctx.default_attr_type
    forward = of_forward(module, ctx)
    if not isinstance(forward, CallableType | Overloaded):
        return ctx.default_attr_type
    if isinstance(forward, Overloaded) and isinstance(ctx.context, CallExpr):
        return ctx.default_attr_type  # ``lenient_arguments`` tells which of them a call may be of
    of_any = takes_anything(facts, module.type)
    items = [_by_position(item, of_any=of_any) for item in forward.items]
    return items[0] if len(items) == 1 else Overloaded(items)


def takes_anything(facts: Facts, info: TypeInfo) -> bool:
    """Whether its ``forward`` does not say what the modules take that are known by its class."""
    return facts.replaces_forward(info) or made_to_be_overridden(facts, info)


def _by_position(forward: CallableType, *, of_any: bool) -> CallableType:
    unknown = AnyType(TypeOfAny.explicit)
    types, kinds = list[Type](), []
    for each, kind in zip(forward.arg_types, forward.arg_kinds, strict=True):
        if kind.is_positional():
            types.append(each)
            kinds.append(ARG_OPT)  # mypy joins what is given by place and what by name if neither is required
        elif kind == ARG_STAR:
            types.append(unknown if isinstance(get_proper_type(each), UnpackType) else each)
            kinds.append(kind)
    if of_any or forward.param_spec() is not None:
        types, kinds = [unknown], [ARG_STAR]
    return forward.copy_modified(
        arg_types=[*types, unknown],
        arg_kinds=[*kinds, ARG_STAR2],
        arg_names=[*([None] * len(types)), "kwargs"],
        ret_type=unknown if of_any else loosely(forward.ret_type),
        unpack_kwargs=False,
        definition=None,
        imprecise_arg_kinds=False,
    )
