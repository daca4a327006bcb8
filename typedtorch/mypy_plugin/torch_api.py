"""What torch's annotations leave out: decorators without parentheses, ``torch.compile``, untyped methods."""

from __future__ import annotations

from mypy.checker import TypeChecker
from mypy.nodes import Expression, FuncDef, MemberExpr, NameExpr
from mypy.plugin import ClassDefContext, FunctionContext, MethodContext, MethodSigContext
from mypy.subtypes import is_subtype
from mypy.types import (
    AnyType,
    CallableType,
    FunctionLike,
    Instance,
    TupleType,
    Type,
    TypeOfAny,
    UnboundType,
    UnionType,
    get_proper_type,
)

from typedtorch.mypy_plugin.facts import Facts
from typedtorch.mypy_plugin.module_call import is_module

TENSOR = "torch._tensor.Tensor"

# ``@torch.no_grad`` and ``@torch.no_grad()`` are both written; called with a function, these return it.
GRAD_MODES = {f"torch.autograd.grad_mode.{name}" for name in ("no_grad", "enable_grad", "inference_mode")}

# Methods that torch leaves without annotations, and what they return.
_TENSOR_METHODS = ("norm", "unflatten", "stft", "istft")
UNTYPED_METHODS = {f"{TENSOR}.{name}" for name in (*_TENSOR_METHODS, "split")}


def accept_function(ctx: ClassDefContext) -> None:
    """Let a gradient mode be called with a function in place of what its constructor takes.

    ``no_grad`` inherits a ``__new__`` that says so, hidden from mypy by an ``__init__`` without parameters.
    """
    body = ctx.cls.defs.body
    for init in [s for s in body if isinstance(s, FuncDef) and s.name == "__init__"]:
        signature = init.type
        if len(init.arguments) == 1:
            body.remove(init)
        elif isinstance(signature, CallableType):
            first = UnionType([UnboundType("bool"), AnyType(TypeOfAny.explicit)])
            types = [signature.arg_types[0], first, *signature.arg_types[2:]]
            init.type = init.unanalyzed_type = signature.copy_modified(arg_types=types)


def decorated_function(ctx: FunctionContext) -> Type:
    """``no_grad(function)`` is the function."""
    given = get_proper_type(ctx.arg_types[0][0]) if ctx.arg_types and ctx.arg_types[0] else None
    return given if isinstance(given, FunctionLike) else ctx.default_return_type


def compiled_module(ctx: FunctionContext) -> Type:
    """``torch.compile(module)`` is used in every way as the module is."""
    given = get_proper_type(ctx.arg_types[0][0]) if ctx.arg_types and ctx.arg_types[0] else None
    return given if isinstance(given, Instance) and is_module(given.type) else ctx.default_return_type


def kept_result(facts: Facts, ctx: MethodContext) -> Type:
    """The result of ``module(x)``, left unknown where it is kept beside values of other types."""
    if not isinstance(ctx.type, Instance) or not is_module(ctx.type.type):
        return ctx.default_return_type
    return _unless_kept(facts, ctx, ctx.default_return_type)


def lenient_arguments(facts: Facts, ctx: MethodSigContext) -> FunctionLike:
    """The signature of ``module(x)``, accepting what mypy knows too little of.

    Without the type of ``forward`` no argument is checked.  A name bound several times is known by its first
    binding, and None cannot always be seen to be excluded: neither is a mistake in the call.
    """
    source = facts.source(ctx.api.tree.fullname) if isinstance(ctx.api, TypeChecker) else None
    signature = ctx.default_signature
    if source is None or not isinstance(ctx.type, Instance) or not is_module(ctx.type.type):
        return signature
    types = list(signature.arg_types)
    for index, given in enumerate(ctx.args):
        for expression in given:
            rebound = (expression.line, expression.column) in source.rebound_names
            if rebound or _may_be(expression, types[index], ctx):
                types[index] = AnyType(TypeOfAny.explicit)
    return signature.copy_modified(arg_types=types)


def _may_be(given: Expression, wanted: Type, ctx: MethodSigContext) -> bool:
    """Whether a name or attribute is of a union type that has an item that fits."""
    if not isinstance(given, NameExpr | MemberExpr):
        return False
    union = get_proper_type(ctx.api.get_expression_type(given))
    return isinstance(union, UnionType) and any(is_subtype(item, wanted) for item in union.items)


def _unless_kept(facts: Facts, ctx: MethodContext, result: Type) -> Type:
    source = facts.source(ctx.api.tree.fullname) if isinstance(ctx.api, TypeChecker) else None
    place = (ctx.context.line, ctx.context.column)
    keep = source.kept_results.get(place) if source is not None else None
    tensors = _is_tensor(result) if keep == "tensor" else keep == "tensors" and _only_tensors(result)
    if keep is None or tensors:
        return result
    return AnyType(TypeOfAny.explicit)


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


def untyped_method(name: str, facts: Facts, ctx: MethodContext) -> Type:
    """The result of a method of Tensor, where torch does not say."""
    if not isinstance(get_proper_type(ctx.default_return_type), AnyType) or not isinstance(
        ctx.type, Instance
    ):
        return ctx.default_return_type
    tensor = Instance(next(base for base in ctx.type.type.mro if base.fullname == TENSOR), [])
    result = ctx.api.named_generic_type("builtins.tuple", [tensor]) if name == "split" else tensor
    return _unless_kept(facts, ctx, result)
