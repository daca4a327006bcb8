"""How much of the type of ``module(x)`` may be used, in programs that were written while it was Any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy.checker import TypeChecker
from mypy.nodes import (
    ARG_STAR,
    ARG_STAR2,
    CallExpr,
    Context,
    Decorator,
    FuncDef,
    IndexExpr,
    MemberExpr,
    NameExpr,
    SuperExpr,
    SymbolTableNode,
    TypeInfo,
    Var,
)
from mypy.plugin import AttributeContext, MethodContext, MethodSigContext
from mypy.typeops import make_simplified_union
from mypy.types import (
    AnyType,
    CallableType,
    FunctionLike,
    Instance,
    NoneType,
    Overloaded,
    TupleType,
    Type,
    TypedDictType,
    TypeOfAny,
    TypeVarType,
    UninhabitedType,
    UnionType,
    UnpackType,
    get_proper_type,
)

from typedtorch.mypy_plugin.facts import Facts
from typedtorch.mypy_plugin.module_call import call_by_hand, is_module
from typedtorch.mypy_plugin.one_of_several import fits_another, is_one_of_several, is_replaced, may_be_another
from typedtorch.mypy_plugin.signatures import (
    is_of_torch,
    left_to_defaults,
    lenient,
    of_forward,
    spreads_beside_names,
    stands_for_tensor,
    takes,
)
from typedtorch.mypy_plugin.torch_api import TENSOR

if TYPE_CHECKING:
    from typedtorch.shapes.kept_values import Part

_CONTAINERS = ("builtins", "typing", "collections")


def kept_result(facts: Facts, ctx: MethodContext) -> Type:
    """The result of ``module(x)``, left unknown where it is kept beside values of other types."""
    result = ctx.default_return_type
    if not isinstance(ctx.type, Instance) or not is_typed_here(ctx.type.type):
        return result
    source = facts.checked(ctx.api)
    if facts.replaces_forward(ctx.type.type) or any(map(_is_unbound, ctx.type.args)):
        return AnyType(TypeOfAny.explicit)
    if source is not None and ("forward" in source.replaced or is_one_of_several(facts, ctx, source)):
        return AnyType(TypeOfAny.explicit)
    if any(map(stands_for_tensor, (given for each in ctx.arg_types for given in each))):
        return AnyType(TypeOfAny.explicit)
    if isinstance(get_proper_type(result), NoneType):
        return AnyType(TypeOfAny.explicit)  # ``out = module(x)`` of what returns nothing
    result = loosely(_generated(result, ctx.type.type.get("forward"), ctx))
    place = (ctx.context.line, ctx.context.column)
    keep = source.kept_results.get(place) if source is not None else None
    if isinstance(keep, tuple):
        for part in keep:
            result = _but_for(result, part)
    elif keep == "no items":
        result = _of_anything(result)
    elif keep is not None and not _stays(result, keep):
        return AnyType(TypeOfAny.explicit)
    facts.typed(ctx.api, ctx.context, result)
    return result


def is_typed_here(info: TypeInfo) -> bool:
    """Whether calls of a class were Any to mypy alone."""
    return is_module(info) and not call_by_hand(info)


def _is_unbound(argument: Type) -> bool:
    """Whether nothing says what a class is of: ``Pair()`` is a ``Pair[Never]`` to mypy."""
    return isinstance(get_proper_type(argument), UninhabitedType)


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


def _of_anything(result: Type) -> Type:
    """A result whose lists and dicts may hold what they are not said to hold: a program puts it there."""
    proper, unknown = get_proper_type(result), AnyType(TypeOfAny.explicit)
    if isinstance(proper, UnionType):
        return UnionType.make_union([_of_anything(item) for item in proper.items])
    if isinstance(proper, TupleType):
        return proper.copy_modified(items=[_of_anything(item) for item in proper.items])
    if isinstance(proper, TypedDictType):
        return unknown
    if isinstance(proper, Instance) and proper.args and proper.type.module_name in _CONTAINERS:
        if proper.type.has_base("typing.MutableMapping") or proper.type.has_base("typing.MutableSequence"):
            return proper.copy_modified(args=[unknown] * len(proper.args))
        return unknown if proper.type.fullname != "builtins.tuple" else proper
    return result


def _generated(result: Type, forward: SymbolTableNode | None, ctx: MethodContext) -> Type:
    """What ``yield`` makes of a function is a generator, also where it is said to be ``Iterable``."""
    proper, node = get_proper_type(result), None if forward is None else forward.node
    function = node.func if isinstance(node, Decorator) else node
    if not isinstance(proper, Instance) or proper.type.fullname not in ("typing.Iterable", "typing.Iterator"):
        return result
    if not isinstance(function, FuncDef) or not function.is_generator or function.is_coroutine:
        return result
    unknown = AnyType(TypeOfAny.explicit)
    return ctx.api.named_generic_type("typing.Generator", [*proper.args, unknown, unknown])


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
    class is what the program itself speaks of, and tensors come from everywhere.
    """
    of = get_proper_type(ctx.type)
    known_here = not isinstance(of, Instance) or of.type.fullname in facts.results
    if ctx.is_lvalue or not known_here or not _is_inferred(ctx.context):
        return ctx.default_attr_type
    if isinstance(of, Instance) and of.type.has_base(TENSOR) and not _comes_of_typed(facts, ctx):
        return ctx.default_attr_type
    facts.of_result(ctx.default_attr_type)
    if isinstance(get_proper_type(ctx.default_attr_type), NoneType):
        return AnyType(TypeOfAny.explicit)
    return _one_of(ctx.default_attr_type)


def _comes_of_typed(facts: Facts, ctx: AttributeContext) -> bool:
    """Whether what has an attribute that may be None was made from a call that only we know."""
    may_be_none = isinstance(get_proper_type(ctx.default_attr_type), UnionType)
    if not may_be_none or not isinstance(ctx.context, MemberExpr) or not isinstance(ctx.api, TypeChecker):
        return False
    from typedtorch.shapes import traced  # noqa: PLC0415  # seldom needed

    path, of = ctx.api.tree.path, ctx.context.expr
    if not facts.knows_results(path):
        return False
    syntax = facts.syntax(path)
    span = traced.Span(of.line, of.column, of.end_line or of.line, of.end_column or of.column)
    value = traced.at(span, syntax)
    return value is not None and facts.any_typed(path, traced.made_from(value, syntax))


def _is_inferred(attribute: Context) -> bool:
    """Whether an attribute is of a call, of an item or of a name without a declaration."""
    of = attribute.expr if isinstance(attribute, MemberExpr) else None
    while isinstance(of, MemberExpr):
        of = of.expr
    named = isinstance(of, NameExpr) and isinstance(of.node, Var) and of.node.is_inferred
    return named or isinstance(of, CallExpr | IndexExpr)


def loosely(result: Type) -> Type:
    """What ``forward`` returns, as far as a program that asks it no questions may be held to it."""
    return _one_of(_any_number(result))


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
    if _is_object(proper):
        return unknown
    if isinstance(proper, TypeVarType) and not proper.values and _is_object(proper.upper_bound):
        return unknown  # inside of a class that is generic: what derives from it says what it is
    if isinstance(proper, Instance) and proper.args and proper.type.module_name in ("builtins", "typing"):
        return proper.copy_modified(args=[_one_of(item) for item in proper.args])
    return result


def _is_object(given: Type) -> bool:
    proper = get_proper_type(given)
    return isinstance(proper, Instance) and proper.type.fullname == "builtins.object"


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
    if source is None or not isinstance(ctx.type, Instance) or not is_typed_here(ctx.type.type):
        return ctx.default_signature
    call, above = ctx.context, isinstance(getattr(ctx.context, "callee", None), SuperExpr)
    signature = (None if above else of_forward(ctx.type, ctx)) or ctx.default_signature
    if not isinstance(call, CallExpr) or not isinstance(signature, CallableType | Overloaded):
        return ctx.default_signature
    forgiven = (call.line, call.column) in source.forgiven or "forward" in source.outside
    of_torch = is_of_torch(ctx.type.type)
    if (
        forgiven
        or facts.replaces_forward(ctx.type.type)
        or made_to_be_overridden(facts, ctx.type.type)
        or any(map(_is_unbound, ctx.type.args))
        or spreads_beside_names(call)
        or may_be_another(facts, call, ctx)
        or fits_another(ctx.type, call, ctx, source)
    ):
        return _anything(signature, call, ctx)
    if is_replaced(ctx.type, call, ctx, facts):
        return _anything(signature, call, ctx).copy_modified(ret_type=AnyType(TypeOfAny.explicit))
    if len(signature.items) > 1:
        fitting = next((item for item in signature.items if takes(item, call, ctx)), None)
        if fitting is not None:
            return fitting
    items = [lenient(item, call, ctx, source, of_torch=of_torch) for item in signature.items]
    if len(items) > 1 and sum(takes(item, call, ctx) for item in items) > 1:
        return _anything(signature, call, ctx)  # a flag that mypy does not know says which of them it is
    if isinstance(signature, Overloaded) and left_to_defaults(ctx.type.type, signature, call, ctx):
        return _anything(signature, call, ctx)
    return items[0] if len(items) == 1 else Overloaded(items)


def _anything(signature: CallableType | Overloaded, call: CallExpr, ctx: MethodSigContext) -> CallableType:
    """A function of any arguments; of several signatures it returns what the first does that takes these."""
    fitting = next((item for item in signature.items if takes(item, call, ctx)), None)
    result = AnyType(TypeOfAny.explicit) if fitting is None else fitting.ret_type
    first = fitting or signature.items[0]
    return first.copy_modified(
        arg_types=[AnyType(TypeOfAny.explicit)] * 2,
        arg_kinds=[ARG_STAR, ARG_STAR2],
        arg_names=[None, None],
        ret_type=first.ret_type if len(signature.items) == 1 else result,
        unpack_kwargs=False,
    )


def made_to_be_overridden(facts: Facts, info: TypeInfo) -> bool:
    """Whether the nearest ``forward`` only says what those of subclasses, which may take more, are about."""
    for base, source in facts.family(info):
        if "forward" in base.names:
            return source is not None and source.forward_is_abstract
    return False
