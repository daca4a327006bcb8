"""Methods of values: a tensor's, an instance's, those reached by super()."""

from __future__ import annotations

import ast

from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.containers import container_methods, containers, mutation
from typedtorch.shapes.infer.expressions import attributes, numbers
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.layers import layer_dtype, layers, registering, surgery
from typedtorch.shapes.infer.layers.registering import HOOKING
from typedtorch.shapes.infer.library import autograd, folded, library, loading
from typedtorch.shapes.infer.program.index import RESHAPING
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Bound,
    Choice,
    ClassV,
    DictV,
    Dtype,
    Instance,
    LayerV,
    Object,
    Sequence,
    SuperV,
    Tensor,
    Value,
)
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import ANY_AXES

_COUNTING_METHODS = frozenset({"index", "rindex", "find", "rfind", "count"})
_STRING_METHODS = {"format", "join", "lower", "upper", "strip", "replace", "title"}


def call_bound(frame: Frame, method: Bound, args: Args, node: ast.AST) -> Value:
    """A method looked up on a value that is not of the program's classes."""

    receiver, name = method.receiver, method.name
    if name in _TENSORS_OF and registering.is_module(receiver):
        each = Tensor((ANY_AXES,))
        return Sequence("iterator", None, (Object("str"), each) if name.startswith("named_") else each)
    if name == "apply" and registering.is_module(receiver):
        return registering.applied(frame, receiver, args.get(0, "fn", UNKNOWN))
    if name in ("get_submodule", "set_submodule") and registering.is_module(receiver):
        path = args.get(0, "target", UNKNOWN)
        if name == "get_submodule":
            return surgery.submodule(receiver, path)
        return surgery.set_submodule(frame, receiver, path, args.get(1, "module", UNKNOWN))
    if name == "load_state_dict":
        loading.check(frame, receiver, node)
    if isinstance(receiver, (Tensor, Choice)):
        return _tensor_method(frame, receiver, name, args, node)
    if isinstance(receiver, DictV) and name == "save_for_backward":
        return autograd.save_for_backward(frame, receiver, args)
    if isinstance(receiver, (Sequence, DictV, tuple)):
        return container_methods.call_method(frame, receiver, name, args, node)
    if isinstance(receiver, Instance):
        return _instance_method(frame, receiver, name, args, node)
    if isinstance(receiver, LayerV):
        if name in HOOKING:
            registering.hook(frame, receiver, args)
        if name in ("forward", "__call__"):
            return layers.call_layer(frame, receiver, args, node)
        if name in attributes.SELF_METHODS:
            return registering.recast(layer_dtype.cast(frame, receiver, name, args), name)
        return mutation.forget(frame, args)
    if isinstance(receiver, SuperV):
        return _super_method(frame, receiver, name, args, node)
    if isinstance(receiver, ClassV) and name == "apply":
        return autograd.apply(frame, receiver, args, node)
    if isinstance(receiver, str) and (made := folded.method(receiver, name, args)) is not folded.NOT_FOLDED:
        return made
    if isinstance(receiver, Dtype) and name == "__str__":
        return numbers.to_str(frame, Args([receiver], [_receiver_node(node)]), node)
    if (isinstance(receiver, str) or receiver == Object("str")) and name == "encode":
        return Object("bytes")
    if isinstance(receiver, (str, Object)) and name in _STRING_METHODS:
        return Object("str")
    if (isinstance(receiver, str) or receiver == Object("str")) and name in _COUNTING_METHODS:
        return unknown(f"?{frame.place(node)}")
    return mutation.forget(frame, args)


_DEVICES = (Object("torch.device"), Object("str"))  # which one it is has no bearing on a tensor
_TENSORS_OF = frozenset({"parameters", "named_parameters", "buffers", "named_buffers"})


def _receiver_node(node: ast.AST) -> ast.expr | None:
    """The expression whose method is called, where it is written so."""
    return node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None


def _tensor_method(frame: Frame, receiver: Value, name: str, args: Args, node: ast.AST) -> Value:
    if args.open:
        return UNKNOWN
    own = _receiver_node(node)
    nodes = (own, *args.nodes)
    values = tuple(args.values)
    if name == "to":
        values = tuple("cpu" if isinstance(v, Object) and v in _DEVICES else v for v in values)
    value = frame.call_method(receiver, name, values, args.keywords, node, nodes)
    if name in RESHAPING and isinstance(receiver, Tensor) and isinstance(own, ast.Attribute):
        registering.without_layer_of(frame, own.value, receiver)
    if name.endswith("_") and not name.endswith("__") and isinstance(value, Tensor) and value != receiver:
        # an in-place change of shape is seen through every name of the tensor
        frame.state.replace_value(receiver, value)
    elif name in RESHAPING and value is UNKNOWN:
        frame.state.replace_value(receiver, UNKNOWN)
    return value


def _instance_method(frame: Frame, receiver: Instance, name: str, args: Args, node: ast.AST) -> Value:
    """Methods nn.Module gives to every module."""
    if name in attributes.SELF_METHODS:
        receiver = layer_dtype.cast(frame, receiver, name, args)
        cast = registering.recast(receiver, name)
        if cast is not receiver:
            frame.state.replace_value(receiver, cast)
        return cast
    if name == "__call__":
        return layers.call_instance(frame, receiver, args, node)
    if name in ("register_buffer", "register_parameter", "add_module", "register_module", "__setattr__"):
        attribute, value = args.get(0, "name", UNKNOWN), args.get(1, "tensor", UNKNOWN)
        registering.set_attribute(frame, receiver, attribute, containers.castable(value))
        return None
    if name == "load_state_dict" and args.get(2, "assign", False) is not False:
        surgery.replace_tensors(frame, receiver)  # by those that were stored, of whatever kind
    if name in HOOKING:
        registering.hook(frame, receiver, args)
    if name == "_replace" and not args.open:
        return frame.interpreter.with_fields(frame, receiver, args.keywords, node)
    return mutation.forget(frame, args)


def _super_method(frame: Frame, receiver: SuperV, name: str, args: Args, node: ast.AST) -> Value:
    """``super().__init__(...)`` and ``super().forward(x)`` of a class that extends a torch layer."""
    instance = receiver.receiver
    if not isinstance(instance, Instance):
        return UNKNOWN
    base = instance.info.kind.layer
    if name == "__init__":
        if base is not None and not args.open:
            layer = library.construct_layer(frame, base, args, node)
            frame.state.replace_value(instance, instance.with_attribute("__layer__", layer))
        elif "torch.nn.Sequential" in instance.info.kind.external:
            modules = containers.sequential(frame, args, node)
            frame.state.replace_value(instance, instance.with_attribute("__layer__", modules))
        return None
    if name in ("forward", "__call__") and "__layer__" in instance.attributes:
        return frame.call(instance.attributes["__layer__"], args, node)
    if name in attributes.SELF_METHODS or name.startswith("register_") or name == "__setattr__":
        return _instance_method(frame, instance, name, args, node)
    return UNKNOWN
