"""How much of the type of ``module(x)`` may be used, in programs that were written while it was Any."""

from __future__ import annotations

from mypy.nodes import ARG_STAR, ARG_STAR2, CallExpr, Context, Expression, MemberExpr, NameExpr, TypeInfo
from mypy.plugin import MethodContext, MethodSigContext
from mypy.subtypes import is_subtype
from mypy.types import (
    AnyType,
    FunctionLike,
    Instance,
    NoneType,
    TupleType,
    Type,
    TypedDictType,
    TypeOfAny,
    UnionType,
    UnpackType,
    get_proper_type,
)

from typedtorch.mypy_plugin.facts import Facts
from typedtorch.mypy_plugin.module_call import is_module
from typedtorch.mypy_plugin.torch_api import TENSOR


def kept_result(facts: Facts, ctx: MethodContext) -> Type:
    """The result of ``module(x)``, left unknown where it is kept beside values of other types."""
    result = ctx.default_return_type
    if not isinstance(ctx.type, Instance) or not is_module(ctx.type.type):
        return result
    result = _any_number(result)
    source = facts.checked(ctx.api)
    place = (ctx.context.line, ctx.context.column)
    keep = source.kept_results.get(place) if source is not None else None
    tensors = _is_tensor(result) if keep == "tensor" else keep == "tensors" and _only_tensors(result)
    if keep is None or tensors:
        return result
    return AnyType(TypeOfAny.explicit)


def _any_number(result: Type) -> Type:
    """``tuple[Tensor]`` is written for ``tuple[Tensor, ...]``: a result of one item is hardly ever meant."""
    proper = get_proper_type(result)
    if isinstance(proper, UnionType):
        return UnionType.make_union([_any_number(item) for item in proper.items], proper.line, proper.column)
    if isinstance(proper, TupleType) and len(proper.items) == 1:
        whole = proper.partial_fallback
        if whole.type.fullname == "builtins.tuple" and not isinstance(proper.items[0], UnpackType):
            return whole.copy_modified(args=proper.items)
    return result


def _only_tensors(result: Type) -> bool:
    """One tensor, or a tuple of tensors, however nested."""
    proper = get_proper_type(result)
    if isinstance(proper, TupleType):
        return all(map(_only_tensors, proper.items))
    if isinstance(proper, Instance) and proper.type.fullname == "builtins.tuple":
        return all(map(_only_tensors, proper.args))
    return _is_tensor(proper)


def _is_tensor(result: Type) -> bool:
    proper = get_proper_type(result)
    return isinstance(proper, Instance) and proper.type.fullname == TENSOR


def lenient_arguments(facts: Facts, ctx: MethodSigContext) -> FunctionLike:
    """The signature of ``module(x)``, accepting what mypy knows too little of.

    Without the type of ``forward`` no argument is checked.  A name bound several times is known by its first
    binding, and None cannot always be seen to be excluded: neither is a mistake in the call.
    """
    source = facts.checked(ctx.api)
    signature = ctx.default_signature
    if source is None or not isinstance(ctx.type, Instance) or not is_module(ctx.type.type):
        return signature
    if _made_to_be_overridden(facts, ctx.type.type):
        return signature.copy_modified(
            arg_types=[AnyType(TypeOfAny.explicit)] * 2,
            arg_kinds=[ARG_STAR, ARG_STAR2],
            arg_names=[None, None],
            unpack_kwargs=False,
        )
    types = list(signature.arg_types)
    spread = _spread(ctx.context)
    for index, given in enumerate(ctx.args):
        for expression in given:
            rebound = (expression.line, expression.column) in source.rebound_names
            if expression in spread or rebound or _may_be(expression, types[index], ctx):
                types[index] = AnyType(TypeOfAny.explicit)
    # ``**kwargs: Unpack[Options]`` is unpacked only while it is a TypedDict
    unpacked = signature.unpack_kwargs and isinstance(get_proper_type(types[-1]), TypedDictType)
    return signature.copy_modified(arg_types=types, unpack_kwargs=unpacked)


def _made_to_be_overridden(facts: Facts, info: TypeInfo) -> bool:
    """Whether the nearest ``forward`` only says what those of subclasses, which may take more, are about."""
    for base, source in facts.family(info):
        if "forward" in base.names:
            return source is not None and source.forward_is_abstract
    return False


def _spread(call: Context) -> list[Expression]:
    """What is passed on with ``*`` or ``**``."""
    if not isinstance(call, CallExpr):
        return []
    return [given for given, kind in zip(call.args, call.arg_kinds, strict=True) if kind.is_star()]


def _may_be(given: Expression, wanted: Type, ctx: MethodSigContext) -> bool:
    """Whether a name or attribute is None so far, or of a union type that has an item that fits."""
    if not isinstance(given, NameExpr | MemberExpr):
        return False
    known = get_proper_type(ctx.api.get_expression_type(given))
    if isinstance(known, NoneType):
        return True
    return isinstance(known, UnionType) and any(is_subtype(item, wanted) for item in known.items)
