"""How much of the type of ``module(x)`` may be used, in programs that were written while it was Any."""

from __future__ import annotations

from mypy.nodes import ARG_STAR, ARG_STAR2, CallExpr, Context, Expression, MemberExpr, NameExpr, TypeInfo, Var
from mypy.plugin import AttributeContext, MethodContext, MethodSigContext
from mypy.subtypes import is_subtype
from mypy.typeops import make_simplified_union
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
    if facts.replaces_forward(ctx.type.type):
        return AnyType(TypeOfAny.explicit)
    result = _one_of(_any_number(result))
    source = facts.checked(ctx.api)
    place = (ctx.context.line, ctx.context.column)
    keep = source.kept_results.get(place) if source is not None else None
    if keep is not None:
        fits = _is_tensor(result) if keep == "tensor" else keep == "tensors" and _only_tensors(result)
        if not fits:
            return AnyType(TypeOfAny.explicit)
    facts.typed(ctx.api, ctx.context, result)
    return result


def optional_field(ctx: AttributeContext) -> Type:
    """``model(x, labels=y).loss``, which a class of results declares as ``Tensor | None``.

    Only of what is not declared to be of that class: there the program has said what it knows.
    """
    of = ctx.context.expr if isinstance(ctx.context, MemberExpr) else None
    inferred = isinstance(of, NameExpr) and isinstance(of.node, Var) and of.node.is_inferred
    if ctx.is_lvalue or not (inferred or isinstance(of, CallExpr)):
        return ctx.default_attr_type
    return _one_of(ctx.default_attr_type)


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


def _one_of(result: Type) -> Type:
    """``Tensor | None`` as ``Tensor | Any``: who gave the targets does not ask whether there is a loss.

    Nor does who asked for features whether a tensor or a list came: of several classes nothing is said.
    """
    proper = get_proper_type(result)
    if isinstance(proper, UnionType):
        there = [item for item in proper.items if not isinstance(get_proper_type(item), NoneType)]
        common, unknown = make_simplified_union(there), AnyType(TypeOfAny.explicit)
        if isinstance(get_proper_type(common), UnionType):
            return unknown
        return UnionType([common, unknown]) if len(there) < len(proper.items) else common
    if isinstance(proper, TupleType):
        return proper.copy_modified(items=[_one_of(item) for item in proper.items])
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
    if facts.replaces_forward(ctx.type.type) or _made_to_be_overridden(facts, ctx.type.type):
        return signature.copy_modified(
            arg_types=[AnyType(TypeOfAny.explicit)] * 2,
            arg_kinds=[ARG_STAR, ARG_STAR2],
            arg_names=[None, None],
            unpack_kwargs=False,
        )
    types = list(signature.arg_types)
    spread = _spread(ctx.context)
    of_torch = _is_of_torch(ctx.type.type)
    for index, given in enumerate(ctx.args):
        for expression in given:
            rebound = (expression.line, expression.column) in source.rebound_names
            more = rebound or _is_several(expression, types[index], ctx, of_torch=of_torch)
            if expression in spread or more or _may_be(expression, types[index], ctx):
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


def _is_of_torch(info: TypeInfo) -> bool:
    """Whether ``forward`` is torch's own, which takes more than it is annotated with."""
    owner = next((base for base in info.mro if "forward" in base.names), info)
    return owner.module_name.startswith("torch.")


def _is_several(given: Expression, wanted: Type, ctx: MethodSigContext, *, of_torch: bool) -> bool:
    """A tuple or list, for ``nn.Identity()``, the lengths of ``nn.CTCLoss`` or an ``output_size`` of torch.

    And ``x.shape[-2:]``, of which mypy does not know how long it is, for any ``tuple[int, int]``.
    """
    known = get_proper_type(ctx.api.get_expression_type(given))
    if isinstance(known, TupleType):
        return of_torch
    if not isinstance(known, Instance) or known.type.fullname == "builtins.str":
        return False
    open_length = known.type.has_base("builtins.tuple") and isinstance(get_proper_type(wanted), TupleType)
    return open_length or (of_torch and known.type.has_base("typing.Sequence"))


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
