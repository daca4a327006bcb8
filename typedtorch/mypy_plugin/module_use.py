"""How much of the type of ``module(x)`` may be used, in programs that were written while it was Any."""

from __future__ import annotations

from mypy.argmap import map_actuals_to_formals
from mypy.checker import TypeChecker
from mypy.nodes import (
    ARG_STAR,
    ARG_STAR2,
    CallExpr,
    Context,
    Decorator,
    Expression,
    FuncDef,
    IndexExpr,
    MemberExpr,
    NameExpr,
    TypeInfo,
    Var,
)
from mypy.plugin import AttributeContext, MethodContext, MethodSigContext
from mypy.subtypes import is_subtype
from mypy.typeops import make_simplified_union
from mypy.types import (
    AnyType,
    CallableType,
    FunctionLike,
    Instance,
    LiteralType,
    NoneType,
    Overloaded,
    TupleType,
    Type,
    TypedDictType,
    TypeOfAny,
    UnionType,
    UnpackType,
    get_proper_type,
)

from typedtorch.mypy_plugin.facts import Facts
from typedtorch.mypy_plugin.module_call import MODULE, is_module
from typedtorch.mypy_plugin.torch_api import TENSOR
from typedtorch.shapes.kept_values import Part
from typedtorch.shapes.module_facts import SourceFacts


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
    if isinstance(keep, tuple):
        for part in keep:
            result = _but_for(result, part)
    elif keep is not None and not _stays(result, keep):
        return AnyType(TypeOfAny.explicit)
    facts.typed(ctx.api, ctx.context, result)
    return result


def _stays(result: Type, keep: str) -> bool:
    """Whether a result is what may be known of it."""
    match keep:
        case "tensor":
            return _is_tensor(result)
        case "tensors":
            return _only_tensors(result)
        case "no keys":
            return not isinstance(get_proper_type(result), TypedDictType)
    return False


def _but_for(result: Type, part: Part) -> Type:
    """A result with one part of it left unknown, unless that is one tensor."""
    proper = get_proper_type(result)
    if _is_tensor(proper):
        return result  # as a part, or as what is unpacked itself
    if part and isinstance(proper, TupleType) and part[0] < len(proper.items):
        items = list(proper.items)
        items[part[0]] = _but_for(items[part[0]], part[1:])
        return proper.copy_modified(items=items)
    if part and isinstance(proper, Instance) and proper.type.fullname in ("builtins.tuple", "builtins.list"):
        return proper.copy_modified(args=[_but_for(proper.args[0], part[1:])])
    return AnyType(TypeOfAny.explicit)


def optional_field(facts: Facts, ctx: AttributeContext) -> Type:
    """``model(x, labels=y).loss`` or ``self.blocks[0].cache``, which a class declares as ``Tensor | None``.

    Only where the class is known by what we say of a call or an item alone: what is declared to be of that
    class is what the program itself speaks of.
    """
    if ctx.is_lvalue or not _is_inferred(ctx.context):
        return ctx.default_attr_type
    facts.of_result(ctx.default_attr_type)
    if isinstance(get_proper_type(ctx.default_attr_type), NoneType):
        return AnyType(TypeOfAny.explicit)
    return _one_of(ctx.default_attr_type)


def _is_inferred(attribute: Context) -> bool:
    """Whether an attribute is of a call, of an item or of a name without a declaration."""
    of = attribute.expr if isinstance(attribute, MemberExpr) else None
    while isinstance(of, MemberExpr):
        of = of.expr
    named = isinstance(of, NameExpr) and isinstance(of.node, Var) and of.node.is_inferred
    return named or isinstance(of, CallExpr | IndexExpr)


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

    Nor does who asked for features whether a tensor or a list came: of several classes nothing is said, and
    nothing of an ``object``.
    """
    proper, unknown = get_proper_type(result), AnyType(TypeOfAny.explicit)
    if isinstance(proper, UnionType):
        there = [item for item in proper.items if not isinstance(get_proper_type(item), NoneType)]
        common = make_simplified_union(there)
        if isinstance(get_proper_type(common), UnionType):
            return unknown
        return UnionType([common, unknown]) if len(there) < len(proper.items) else common
    if isinstance(proper, TupleType):
        return proper.copy_modified(items=[_one_of(item) for item in proper.items])
    if isinstance(proper, Instance) and proper.type.fullname == "builtins.object":
        return unknown
    if isinstance(proper, Instance) and proper.args and proper.type.module_name in ("builtins", "typing"):
        return proper.copy_modified(args=[_one_of(item) for item in proper.args])
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
    if source is None or not isinstance(ctx.type, Instance) or not is_module(ctx.type.type):
        return ctx.default_signature
    signature = _of_forward(ctx.type, ctx)
    if not isinstance(ctx.context, CallExpr) or not isinstance(signature, CallableType | Overloaded):
        return ctx.default_signature
    anything = (ctx.context.line, ctx.context.column) in source.forgiven or "forward" in source.outside
    if anything or facts.replaces_forward(ctx.type.type) or _made_to_be_overridden(facts, ctx.type.type):
        first = signature.items[0]
        return first.copy_modified(
            arg_types=[AnyType(TypeOfAny.explicit)] * 2,
            arg_kinds=[ARG_STAR, ARG_STAR2],
            arg_names=[None, None],
            unpack_kwargs=False,
        )
    of_torch = _is_of_torch(ctx.type.type)
    if len(signature.items) > 1:
        fitting = next((item for item in signature.items if _takes(item, ctx.context, ctx)), None)
        if fitting is not None:
            return fitting
    items = [_lenient(item, ctx.context, ctx, source, of_torch=of_torch) for item in signature.items]
    return items[0] if len(items) == 1 else Overloaded(items)


def _of_forward(module: Instance, ctx: MethodSigContext) -> Type:
    """The signature of ``forward``, also where ``__call__`` is still torch's own."""
    call = module.type.get("__call__")
    if not isinstance(ctx.api, TypeChecker) or call is None or isinstance(call.node, FuncDef | Decorator):
        return ctx.default_signature
    if call.fullname != f"{MODULE}.__call__" or module.type.get("forward") is None:
        return ctx.default_signature
    access = ctx.api.expr_checker.analyze_external_member_access("forward", module, ctx.context)
    return get_proper_type(access)


def _lenient(
    signature: CallableType, call: CallExpr, ctx: MethodSigContext, source: SourceFacts, *, of_torch: bool
) -> CallableType:
    types = list(signature.arg_types)
    spread = _spread(call)
    given = _given(signature, call, ctx)
    for index, actuals in enumerate(given):
        for expression in [call.args[i] for i in actuals]:
            rebound = (expression.line, expression.column) in source.rebound_names
            more = rebound or _is_several(expression, types[index], ctx, of_torch=of_torch)
            if expression in spread or more or _may_be(expression, types[index], ctx):
                types[index] = AnyType(TypeOfAny.explicit)
    # ``**kwargs: Unpack[Options]`` is unpacked only while it is a TypedDict
    last = get_proper_type(types[-1]) if types else None
    unpacked = signature.unpack_kwargs and isinstance(last, TypedDictType)
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
    """Whether what is given may fit, as far as mypy knows: a name or attribute may be None so far."""
    known = get_proper_type(ctx.api.get_expression_type(given))
    if isinstance(known, NoneType):
        return isinstance(given, NameExpr | MemberExpr)
    return not is_subtype(known, wanted) and _fits(known, wanted)


def _fits(known: Type, wanted: Type) -> bool:
    """Whether a value of a type may be one of another, where mypy sees less than there is.

    One of several types, or None, in a tuple too; an ``object``, which is what several have in common; a text
    where some texts are wanted; a number of numpy; a container of the right kind: those of mutable items are
    of no other's type.
    """
    known, wanted = get_proper_type(known), get_proper_type(wanted)
    if isinstance(known, UnionType):
        return any(_fits(item, wanted) for item in known.items)
    if isinstance(wanted, UnionType):
        return any(_fits(known, option) for option in wanted.items)
    if is_subtype(known, wanted) or isinstance(known, NoneType):
        return True
    if isinstance(known, TupleType) and isinstance(wanted, TupleType):
        pairs = zip(known.items, wanted.items, strict=False)
        return len(known.items) == len(wanted.items) and all(_fits(a, b) for a, b in pairs)
    if not isinstance(known, Instance):
        return False
    if isinstance(wanted, LiteralType):
        return known.last_known_value is None and wanted.fallback.type is known.type
    if known.type.fullname == "builtins.object":
        return True
    if not isinstance(wanted, Instance):
        return False
    if wanted.type.fullname in ("builtins.int", "builtins.float"):
        return known.type.has_base("numpy.number")
    return bool(wanted.args) and known.type.has_base(wanted.type.fullname)


def _takes(signature: CallableType, call: CallExpr, ctx: MethodSigContext) -> bool:
    """Whether one of several signatures is that of a call, as it stands."""
    given = _given(signature, call, ctx)
    return all(
        is_subtype(ctx.api.get_expression_type(call.args[i]), wanted)
        for actuals, wanted in zip(given, signature.arg_types, strict=True)
        for i in actuals
    )


def _given(signature: CallableType, call: CallExpr, ctx: MethodSigContext) -> list[list[int]]:
    return map_actuals_to_formals(
        call.arg_kinds,
        call.arg_names,
        signature.arg_kinds,
        signature.arg_names,
        lambda i: ctx.api.get_expression_type(call.args[i]),
    )
