"""What torch's annotations leave out: decorators without parentheses, ``torch.compile``, untyped methods."""

from __future__ import annotations

from mypy.nodes import FuncDef, IndexExpr, MemberExpr, OpExpr
from mypy.plugin import AnalyzeTypeContext, ClassDefContext, FunctionContext, MethodContext
from mypy.types import (
    AnyType,
    CallableType,
    FunctionLike,
    Instance,
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


_KINDS = ("Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte", "Bool")
LEGACY_TENSORS = frozenset(f"torch._C.{kind}Tensor" for kind in _KINDS)
ITEM = f"{TENSOR}.item"
# what Python asks of a tensor where ``0.0 += tensor`` finds that a float cannot add it
REFLECTED = {f"{TENSOR}.__r{name}__" for name in ("add", "sub", "mul", "truediv", "pow")}
# of a number and a tensor Python takes the answer of the tensor, and mypy that of the number
COMPARED = {f"builtins.{kind}.__{name}__" for kind in ("int", "float", "bool") for name in ("eq", "ne")}


def legacy_tensor(ctx: AnalyzeTypeContext) -> Type:
    """``torch.LongTensor`` in an annotation stands for a tensor: no tensor has a class of its own."""
    module = getattr(ctx.api.api, "cur_mod_id", "")  # type: ignore[attr-defined]  # behind the interface
    if module.partition(".")[0] == "torch" or ctx.type.args:
        return ctx.api.analyze_type(ctx.type)
    return ctx.api.named_type(TENSOR, [])


def made_of_kind(ctx: FunctionContext) -> Type:
    """``torch.LongTensor(xs)`` is a tensor, also in a list: ``list[torch.LongTensor]`` is one of tensors."""
    made = get_proper_type(ctx.default_return_type)
    if not isinstance(made, Instance):
        return ctx.default_return_type
    return Instance(next(base for base in made.type.mro if base.fullname == TENSOR), [])


def item(facts: Facts, ctx: MethodContext) -> Type:
    """``net(x).argmax().item()`` is ``int | float`` to torch, and fit for no index."""
    if facts.comes_of_typed(ctx.api, ctx.context):
        return AnyType(TypeOfAny.explicit)
    return ctx.default_return_type


def added_to(facts: Facts, ctx: MethodContext) -> Type:
    """``self.total += criterion(net(x), y)``, where a total of 0.0 is a float to mypy for good."""
    total = ctx.context.left if isinstance(ctx.context, OpExpr) else None
    if isinstance(total, IndexExpr | MemberExpr) and facts.comes_of_typed(ctx.api, ctx.context):
        return AnyType(TypeOfAny.explicit)
    return ctx.default_return_type


def compared(facts: Facts, ctx: MethodContext) -> Type:
    """``0 == net(x)`` is a tensor of answers; of an object that may be anything mypy says the same, Any."""
    given = get_proper_type(ctx.arg_types[0][0]) if ctx.arg_types and ctx.arg_types[0] else None
    is_tensor = isinstance(given, Instance) and given.type.fullname == TENSOR
    if is_tensor and facts.comes_of_typed(ctx.api, ctx.context):
        return AnyType(TypeOfAny.explicit)
    return ctx.default_return_type


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


def untyped_method(name: str, facts: Facts, ctx: MethodContext) -> Type:
    """The result of a method of Tensor, where torch does not say, and a function returns it at once.

    Elsewhere it stays Any: programs are used to that, and torch's other types are narrower than torch is.
    """
    source = facts.checked(ctx.api)
    if source is None or (ctx.context.line, ctx.context.column) not in source.returned_calls:
        return ctx.default_return_type
    if not isinstance(get_proper_type(ctx.default_return_type), AnyType) or not isinstance(
        ctx.type, Instance
    ):
        return ctx.default_return_type
    tensor = Instance(next(base for base in ctx.type.type.mro if base.fullname == TENSOR), [])
    return ctx.api.named_generic_type("builtins.tuple", [tensor]) if name == "split" else tensor
