"""Whether the signature of a ``forward`` is that of a call, as far as mypy knows what is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy.argmap import map_actuals_to_formals
from mypy.checker import TypeChecker
from mypy.erasetype import erase_typevars
from mypy.expandtype import expand_type
from mypy.nodes import (
    ARG_STAR,
    CallExpr,
    Context,
    Decorator,
    Expression,
    MemberExpr,
    NameExpr,
    OverloadedFuncDef,
    TypeInfo,
)
from mypy.plugin import AttributeContext, FunctionContext, MethodContext, MethodSigContext
from mypy.subtypes import is_subtype
from mypy.typeops import function_type
from mypy.types import (
    AnyType,
    CallableType,
    Instance,
    LiteralType,
    NoneType,
    Overloaded,
    ProperType,
    TupleType,
    Type,
    TypedDictType,
    TypeOfAny,
    TypeVarId,
    TypeVarType,
    UnionType,
    get_proper_type,
)

from typedtorch.mypy_plugin.module_call import call_by_hand, is_module

if TYPE_CHECKING:
    from typedtorch.shapes.module_facts import SourceFacts

Call = FunctionContext | MethodContext | MethodSigContext


def of_forward(module: Instance, ctx: Call | AttributeContext) -> ProperType | None:
    """The signature of ``forward``; None where ``__call__`` is the program's own."""
    by_hand = not is_module(module.type) or call_by_hand(module.type)
    if not isinstance(ctx.api, TypeChecker) or by_hand or module.type.get("forward") is None:
        return None
    return _member("forward", module, ctx.api, ctx.context)


def called(function: Type, ctx: Call) -> list[CallableType]:
    """The signatures of what may be called in place of something else; none where it takes anything."""
    proper = get_proper_type(function)
    if isinstance(proper, Instance) and isinstance(ctx.api, TypeChecker):
        proper = of_forward(proper, ctx) or _member("__call__", proper, ctx.api, ctx.context)
    return proper.items if isinstance(proper, CallableType | Overloaded) else []


def _member(name: str, of: Instance, api: TypeChecker, context: Context) -> ProperType:
    with api.msg.filter_errors():
        return get_proper_type(api.expr_checker.analyze_external_member_access(name, of, context))


def lenient(
    signature: CallableType, call: CallExpr, ctx: Call, source: SourceFacts, *, of_torch: bool
) -> CallableType:
    """A signature that takes what mypy knows too little of to tell whether it fits."""
    types, free = list(signature.arg_types), dict[TypeVarId, Type]()
    spread = _spread(call)
    given = _given(signature, call, ctx)
    for index, actuals in enumerate(given):
        for expression in [call.args[i] for i in actuals]:
            rebound = (expression.line, expression.column) in source.rebound_names
            more = rebound or _is_several(expression, types[index], ctx, of_torch=of_torch)
            if expression in spread or more or _may_be(expression, types[index], ctx):
                wanted = get_proper_type(types[index])
                types[index] = AnyType(TypeOfAny.explicit)
                if isinstance(wanted, TypeVarType):
                    free[wanted.id] = types[index]  # as it is where it stands elsewhere, in the result too
    # ``**kwargs: Unpack[Options]`` is unpacked only while it is a TypedDict
    last = get_proper_type(types[-1]) if types else None
    unpacked = signature.unpack_kwargs and isinstance(last, TypedDictType)
    if free:
        types = [expand_type(each, free) for each in types]
        variables = [variable for variable in signature.variables if variable.id not in free]
        result = expand_type(signature.ret_type, free)
        signature = signature.copy_modified(ret_type=result, variables=variables)
    return signature.copy_modified(arg_types=types, unpack_kwargs=unpacked)


def takes_as_many(signature: CallableType, call: CallExpr, ctx: Call) -> bool:
    """Whether a call gives what a signature needs and no more, by number and by name."""
    if _spread(call):
        return True
    given = _given(signature, call, ctx)
    if len({i for actuals in given for i in actuals}) < len(call.args):
        return False
    kinds = zip(signature.arg_kinds, given, strict=True)
    return not any(kind.is_required() and not actuals for kind, actuals in kinds)


def left_to_defaults(module: TypeInfo, signature: Overloaded, call: CallExpr, ctx: Call) -> bool:
    """Whether a call leaves out what every signature of ``forward`` asks for, and its body does not."""
    found = module.get("forward")
    node = None if found is None else found.node
    if not isinstance(node, OverloadedFuncDef) or any(takes_as_many(i, call, ctx) for i in signature.items):
        return False
    function = node.impl.func if isinstance(node.impl, Decorator) else node.impl
    if function is None or not function.arg_kinds:
        return False
    whole = function_type(function, ctx.api.named_generic_type("builtins.function", []))
    if not isinstance(whole, CallableType):
        return False
    types, kinds, names = whole.arg_types[1:], whole.arg_kinds[1:], whole.arg_names[1:]
    return takes(whole.copy_modified(arg_types=types, arg_kinds=kinds, arg_names=names), call, ctx)


def accepts(
    signature: CallableType, call: CallExpr, ctx: Call, source: SourceFacts, *, of_torch: bool
) -> bool:
    """Whether a call could be one of this signature: number and names of arguments, and their types."""
    plain = erase_typevars(signature)
    assert isinstance(plain, CallableType)
    return takes(lenient(plain, call, ctx, source, of_torch=of_torch), call, ctx)


def _is_several(given: Expression, wanted: Type, ctx: Call, *, of_torch: bool) -> bool:
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


def _may_be(given: Expression, wanted: Type, ctx: Call) -> bool:
    """Whether what is given may fit, as far as mypy knows: a name or attribute may be None so far."""
    known = get_proper_type(ctx.api.get_expression_type(given))
    if isinstance(known, NoneType):
        return isinstance(given, NameExpr | MemberExpr)
    if isinstance(target := get_proper_type(wanted), TypeVarType):
        choices = target.values  # of others mypy takes what is given
        return not any(is_subtype(known, one) for one in choices) and any(
            _fits(known, one) for one in choices
        )
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
    if known.type.fullname == "builtins.object" or stands_for_tensor(known):
        return True
    if isinstance(wanted, TypedDictType):
        return known.type.has_base("typing.Mapping")  # whose keys mypy does not know
    if not isinstance(wanted, Instance):
        return False
    if wanted.type.fullname in ("builtins.int", "builtins.float"):
        return known.type.has_base("numpy.number")
    return bool(wanted.args) and known.type.has_base(wanted.type.fullname)


def stands_for_tensor(given: Type) -> bool:
    """Whether a value is of a class with ``__torch_function__`` of its own, as results are then."""
    known = get_proper_type(given)
    if not isinstance(known, Instance) or known.type.module_name.partition(".")[0] == "torch":
        return False
    return known.type.get("__torch_function__") is not None


def spreads_beside_names(call: CallExpr) -> bool:
    """``m(*inputs, n=1)``: of a list of any length mypy takes every parameter to be given, ``n`` too."""
    return ARG_STAR in call.arg_kinds and any(kind.is_named() for kind in call.arg_kinds)


def is_of_torch(info: TypeInfo) -> bool:
    """Whether ``forward`` is torch's own, which takes more than it is annotated with."""
    owner = next((base for base in info.mro if "forward" in base.names), info)
    return owner.module_name.startswith("torch.")


def takes(signature: CallableType, call: CallExpr, ctx: Call) -> bool:
    """Whether one of several signatures is that of a call, as it stands."""
    given = _given(signature, call, ctx)
    return takes_as_many(signature, call, ctx) and all(
        is_subtype(ctx.api.get_expression_type(call.args[i]), wanted)
        for actuals, wanted in zip(given, signature.arg_types, strict=True)
        for i in actuals
    )


def _given(signature: CallableType, call: CallExpr, ctx: Call) -> list[list[int]]:
    return map_actuals_to_formals(
        call.arg_kinds,
        call.arg_names,
        signature.arg_kinds,
        signature.arg_names,
        lambda i: ctx.api.get_expression_type(call.args[i]),
    )
