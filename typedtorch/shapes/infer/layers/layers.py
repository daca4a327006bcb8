"""Calling modules: instances, ``nn.Sequential`` and torch's own layers."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from typedtorch.shapes.infer.calls.binding import Args, callee
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.layers import layer_dtype
from typedtorch.shapes.infer.operators.operators import apply_rule
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Choice,
    FunctionV,
    Instance,
    LayerV,
    Sequence,
    Tensor,
    Value,
    is_size,
)
from typedtorch.shapes.size import is_unknown, unknown
from typedtorch.shapes.tensor import ANY_AXES


def call_instance(frame: Frame, instance: Instance, args: Args, node: ast.AST) -> Value:
    """``module(x)`` is ``forward``; any other object its own ``__call__``."""
    info = instance.info
    names = ("__call__", "forward") if not info.kind.is_module else ("forward",)
    own_call = info.find("__call__")
    if info.kind.is_module and own_call is not None and not own_call[0].module.name.startswith("typedtorch."):
        names = ("__call__",)
    calls_forward = own_call is None or names == ("forward",)
    if calls_forward and "forward" in instance.attributes:  # another in place of that of its class
        given = instance.attributes["forward"]
        own = isinstance(given, FunctionV) and given.is_bound and given.owner in info.mro()
        return frame.call(given.bind(instance) if own else given, args, node)
    for name in names:
        if info.is_replaced(name):
            return UNKNOWN
        function = info.as_function(name, instance)
        if function is not None:
            return frame.call(function, args, node)
    layer = instance.attributes.get("__layer__")
    return UNKNOWN if layer is None else frame.call(layer, args, node)


def call_sequential(frame: Frame, modules: Sequence, args: Args, node: ast.AST) -> Value:
    """``nn.Sequential``: one after the other."""
    if len(args.values) != 1:
        return UNKNOWN
    if modules.items is None:
        return _call_repeatedly(frame, modules.element, args, node)
    value = args.values[0]
    where = args.nodes[0]
    for i, module in enumerate(modules.items):
        value = frame.call(module, Args([value], [where]), node)
        if value is UNKNOWN:
            return UNKNOWN
        where = _output_of(node, i)
    return value


def _output_of(node: ast.AST, index: int) -> ast.expr:
    """What the next module is given, as a message calls it."""
    name = ast.Name(f"the output of {callee(node)}[{index}]", ast.Load())
    return ast.copy_location(name, node)


def _call_repeatedly(frame: Frame, module: Value, args: Args, node: ast.AST) -> Value:
    """Modules of one kind one after the other, an unknown number: known where one keeps the shape."""
    if module is UNKNOWN or isinstance(module, Choice):
        return UNKNOWN
    given = args.values[0]
    made = frame.call(module, args, node)
    if not (isinstance(given, Tensor) and isinstance(made, Tensor) and given.shape == made.shape):
        return UNKNOWN
    return made


def call_layer(frame: Frame, layer: LayerV, args: Args, node: ast.AST) -> Value:
    """A layer of torch, applied."""
    if args.open:
        return UNKNOWN
    layer_dtype.check(frame, layer, args, node)
    nodes = tuple(args.nodes)
    values = tuple(args.values)
    if values == (UNKNOWN,) and layer.name in _OF_A_TENSOR and not frame.blamed():
        values = (Tensor((ANY_AXES,)),)
    return apply_rule(frame, layer.layer.forward, values, args.keywords, node, nodes)


# layers that take nothing but one tensor, and say the size of an axis whatever they are given
_OF_A_TENSOR = frozenset(
    f"torch.nn.{name}"
    for name in (
        "Linear", "Embedding", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d",
        "ConvTranspose3d", "LayerNorm", "RMSNorm", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm",
    )
)  # fmt: skip

# what a layer says of its input: the attribute that is the size of an axis, and how many axes are behind it
_TAKES = {
    "torch.nn.Linear": ("in_features", 0),
    **{f"torch.nn.Conv{n}d": ("in_channels", n) for n in (1, 2, 3)},
    **{f"torch.nn.ConvTranspose{n}d": ("in_channels", n) for n in (1, 2, 3)},
    **{f"torch.nn.BatchNorm{n}d": ("num_features", n) for n in (2, 3)},
}


def learn(frame: Frame, function: Value, args: Args) -> None:
    """A variable of which nothing was known has, once a layer took it, the axis that the layer wants."""
    if isinstance(function, Sequence):
        function = function.items[0] if function.items else UNKNOWN
    taken = _TAKES.get(function.name) if isinstance(function, LayerV) else None
    if taken is None or len(args.values) != 1 or not isinstance(function, LayerV):
        return
    value, where = args.values[0], args.nodes[0]
    if not isinstance(where, ast.Name) or frame.state.variables.get(where.id) is not value:
        return
    size: Any = function.layer.attributes.get(taken[0])
    if not is_size(size) or is_unknown(size):
        return
    behind = [unknown(f"?{frame.place(where)}.{i}") for i in range(taken[1])]
    if value is UNKNOWN:
        frame.state.variables[where.id] = Tensor((ANY_AXES, size, *behind))
    elif isinstance(value, Tensor) and value.shape == (ANY_AXES,):
        frame.state.variables[where.id] = replace(value, shape=(ANY_AXES, size, *behind), layout=None)


def learnt(frame: Frame, node: ast.BinOp) -> Value:
    """``x + layer(x)``: what the right operand tells of a variable of which nothing was known."""
    if not isinstance(node.left, ast.Name):
        return UNKNOWN
    now = frame.state.variables.get(node.left.id, UNKNOWN)
    rebinds = now is not UNKNOWN and any(isinstance(n, ast.NamedExpr) for n in ast.walk(node.right))
    return UNKNOWN if rebinds else now
