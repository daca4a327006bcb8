"""Attribute access, by kind of value."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.assuming import Names, assume
from typedtorch.shapes.infer.calls.alternatives import for_each
from typedtorch.shapes.infer.classes import registries
from typedtorch.shapes.infer.classes.passed import Passed
from typedtorch.shapes.infer.classes.updates import emptied
from typedtorch.shapes.infer.containers import enumerations, shared
from typedtorch.shapes.infer.containers.items import without_attributes
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.layers.made_layers import kept_number
from typedtorch.shapes.infer.operators.operators import apply_rule
from typedtorch.shapes.infer.operators.rule_values import from_rule
from typedtorch.shapes.infer.program.program import OURS, ModuleV
from typedtorch.shapes.infer.reports import messages
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Bound,
    Choice,
    ClassV,
    DictV,
    Dtype,
    External,
    FunctionV,
    Instance,
    LayerV,
    Object,
    Record,
    Scalar,
    Sequence,
    SuperV,
    Tensor,
    Value,
    choice,
    of_others,
)
from typedtorch.shapes.rule import ATTRIBUTES, Fields, Layer, Packed
from typedtorch.shapes.size import Size, axis, integer, unknown

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes.classes import ClassInfo

# Methods that give back the module they are called on.
SELF_METHODS = frozenset(
    {
        "to", "cuda", "cpu", "half", "float", "double", "bfloat16", "type", "eval", "train", "requires_grad_",
        "share_memory", "to_empty", "apply", "compile",
    }
)  # fmt: skip


def get(frame: Frame, value: Value, name: str, node: ast.AST) -> Value:
    """``value.name``."""
    if value is UNKNOWN:
        return UNKNOWN
    if isinstance(value, Tensor):
        return _of_tensor(frame, value, name, node)
    if isinstance(value, Instance):
        return of_instance(frame, value, name, node)
    if isinstance(value, External):
        if shared.is_patched(frame.module, f"{value.name}.{name}"):
            return UNKNOWN
        return frame.interpreter.external_attribute(f"{value.name}.{name}")
    if isinstance(value, ModuleV):
        return of_module(value, name)
    if isinstance(value, Choice):
        options = [option for option in value.options if option is not None]
        return for_each(frame, options, lambda option: get(frame, option, name, node), node)
    if isinstance(value, ClassV):
        return of_class(frame, value, name)
    if isinstance(value, LayerV):
        return _of_layer(frame, value, name)
    if isinstance(value, SuperV):
        return _of_super(value, name)
    if isinstance(value, Record) and name in value.names:
        return value[value.names.index(name)]
    if isinstance(value, tuple) and not hasattr(tuple, name) and (holds_tensors(value) or _begins(value)):
        if name in _OF_TENSORS and not isinstance(value, Packed):
            messages.several(frame, node, value, name)
        return UNKNOWN
    if isinstance(value, DictV) and name in value.items:
        return value.items[name]
    if isinstance(value, DictV) and value.kind.endswith("attributes") and not hasattr(dict, name):
        return UNKNOWN
    if isinstance(value, DictV) and name == "__dict__":  # whoever has it may put anything into it
        frame.state.replace_value(value, replace(value, items={}, rest=UNKNOWN, length=None))
        return UNKNOWN
    if isinstance(value, Passed):
        return value.part(name)
    if isinstance(value, Object) and name == "value" and value.value is not UNKNOWN:
        return value.value
    if isinstance(value, Sequence) and name.isdigit():  # ``getattr(layers, "0")``
        items = value.items or ()
        return items[int(name)] if int(name) < len(items) else UNKNOWN
    if isinstance(value, (Sequence, DictV, str, tuple, Dtype, FunctionV, Object)):
        return Bound(value, name)
    return UNKNOWN


def _of_layer(frame: Frame, value: LayerV, name: str) -> Value:
    """What the constructor says of a layer, else one of its methods."""
    if name not in value.layer.attributes:
        number = kept_number(value, name)
        return Bound(value, name) if number is UNKNOWN else number
    held = value.layer.attributes[name]
    if callable(held) and held is not UNKNOWN:
        return LayerV(f"{value.name}.{name}", Layer(held))
    if isinstance(held, Layer):
        return LayerV(f"{value.name}.{name}", held)
    return from_rule(held)


_OF_TENSORS = frozenset(
    {
        "shape", "dtype", "ndim", "T", "mT", "device", "size", "dim", "view", "reshape", "transpose",
        "permute", "sum", "mean", "max", "min", "argmax", "softmax", "log_softmax", "squeeze", "unsqueeze",
        "flatten", "float", "long", "half", "to", "cpu", "cuda", "detach", "item", "relu", "sigmoid", "tanh",
        "exp", "log", "pow", "norm", "expand", "repeat", "chunk", "split", "masked_fill", "clamp",
        "contiguous", "backward", "unbind", "abs", "sqrt", "square", "std", "var", "prod", "cumsum", "topk",
        "gather", "clone", "numpy", "numel", "bool", "int", "double", "matmul", "bmm", "unflatten",
        "index_select", "any", "all", "flip", "diagonal", "requires_grad_", "new_zeros", "logsumexp", "amax",
        "expand_as", "view_as", "repeat_interleave", "cos", "sin", "tolist",
    }
)  # fmt: skip


def holds_tensors(value: tuple[Value, ...]) -> bool:
    """Whether a tuple is what an operator or a function returned: all of it tensors, or tuples of them."""
    if isinstance(value, Fields):
        return False
    tensors = [
        v
        for v in value
        if (isinstance(v, Tensor) and v.library == "torch") or (isinstance(v, tuple) and holds_tensors(v))
    ]
    return bool(tensors) and len(tensors) == sum(v is not None for v in value)


def _begins(value: tuple[Value, ...]) -> bool:
    """Whether a tuple is a tensor and something beside it: ``logits, cache`` that a step returned."""
    first = value[0] if type(value) is tuple and len(value) > 1 else UNKNOWN
    return isinstance(first, Tensor) and first.library == "torch"


def _of_tensor(frame: Frame, value: Tensor, name: str, node: ast.AST) -> Value:
    if name == "shape":
        return value.shape
    if name == "ndim":
        return value.rank if value.rank is not None else unknown(f"?{frame.place(node)}")
    if name == "dtype":
        return Dtype(value.dtype)
    if name == "grad" and value.library == "torch":
        return choice([None, Tensor(value.shape, value.dtype)])
    rule = ATTRIBUTES.get(f"{'numpy.ndarray' if value.library == 'numpy' else 'torch.Tensor'}.{name}")
    if rule is not None:
        return apply_rule(frame, rule.function, (value,), {}, node, ())
    return Bound(value, name)


def of_module(value: ModuleV, name: str) -> Value:
    """A name of a module, or one of its submodules."""
    own = OURS.get(f"{value.module.name}.{name}")
    if own is not None:
        return External(own)
    found = value.module.find(name)
    if found is not None:
        return found[0]
    submodule = value.module.program.module(f"{value.module.name}.{name}")
    return UNKNOWN if submodule is None else ModuleV(submodule)


def of_instance(frame: Frame, value: Instance, name: str, node: ast.AST) -> Value:
    """What the instance remembers, else a member of its class."""
    info = value.info
    if info.find("__getattribute__") is not None:
        return UNKNOWN
    if name in value.attributes:
        return value.attributes[name]
    if name == "__dict__":  # whoever has it may put anything into it
        frame.state.replace_value(value, without_attributes(value))
        return UNKNOWN
    if info.is_replaced(name):
        return UNKNOWN
    function = info.as_function(name, value)
    if function is not None:
        if frame.interpreter.is_property(function):
            return frame.interpreter.call_property(frame, function, node)
        return function
    spec = info.spec_of_any(name) if value.assumed else info.spec(name)
    if spec is not None and not isinstance(spec, specs.Anything):
        return frame.interpreter.assume_attribute(value, name, spec)
    for ancestor in info.mro():
        if name in ancestor.assigned and any(name in other.self_stores for other in info.mro()):
            return UNKNOWN
        if name in ancestor.assigned:
            known = _of_body(ancestor, name)
            others = value.assumed or name in ancestor.module.facts(ancestor.module.tree).given
            if others and isinstance(known, (bool, int, float, str)):  # a subclass or object has its own
                return _of_its_kind(known, f"{info.name}.{name}")
            return known
        if name in ancestor.classes:
            return frame.interpreter.define_class(ancestor.classes[name], ancestor.module)
    if name == "training":
        return Scalar("bool")
    if name == "__class__":
        return ClassV(info)
    if name == "__setattr__":
        return Bound(value, name)
    if info.kind.is_module and name in (SELF_METHODS | _MODULE_METHODS):
        return Bound(value, name)
    if "__layer__" in value.attributes:
        return get(frame, value.attributes["__layer__"], name, node)
    if name == "_replace" and (info.kind.is_fields or info.kind.is_named_tuple):
        return Bound(value, name)
    return UNKNOWN


def _of_body(info: ClassInfo, name: str) -> Value:
    """What a class body assigns; of a list or dict that its file fills, only that it is one."""
    made = info.evaluate(info.assigned[name])
    if isinstance(made, Instance) and made.info.find("__get__") is not None:
        return UNKNOWN
    facts = info.module.facts(info.module.tree)
    if name not in facts.changed_attributes:
        return made
    filled = registries.of_class(info, name, made)
    return _with_annotated_items(info, name, emptied(made) if filled is None else filled)


def _with_annotated_items(info: ClassInfo, name: str, held: Value) -> Value:
    """A dict of which not every item is known: ``dict[str, type[Probe]]`` says what the others are."""
    spec = info.spec(name)
    if isinstance(held, DictV) and held.rest is UNKNOWN and isinstance(spec, specs.DictSpec):
        return replace(held, rest=of_others(assume_field(spec, name, info.name).any_value))
    return held


def _of_its_kind(constant: bool | int | float | str, name: str) -> Value:
    """A constant that may be another: of a class that a subclass may override, say."""
    if isinstance(constant, bool):
        return Scalar("bool")
    if isinstance(constant, int):
        return unknown(f"?{name}")
    return Object("str") if isinstance(constant, str) else Scalar("float")


_MODULE_METHODS = frozenset(
    {
        "__call__", "register_buffer", "register_parameter", "parameters", "named_parameters", "modules",
        "children", "state_dict", "load_state_dict", "zero_grad", "add_module", "register_module", "_replace",
        "register_forward_hook", "register_forward_pre_hook", "get_submodule", "set_submodule",
    }
)  # fmt: skip


def of_class(frame: Frame, value: ClassV, name: str) -> Value:
    """A class method, static method, class constant or nested class."""
    info = value.info
    if info.is_replaced(name):
        return UNKNOWN
    found = info.find(name)
    if found is not None:
        return frame.interpreter.method(found[0], found[1], value, on_class=True)
    if info.kind.is_enum:
        return enumerations.member(info, name)
    for ancestor in info.mro():
        if name in ancestor.assigned:
            return _of_body(ancestor, name)
        if name in ancestor.classes:
            return frame.interpreter.define_class(ancestor.classes[name], ancestor.module)
    if name == "apply" and "torch.autograd.Function" in info.kind.external:
        return Bound(value, "apply")
    return UNKNOWN


def _of_super(value: SuperV, name: str) -> Value:
    receiver = value.receiver
    if isinstance(receiver, Instance):
        function = receiver.info.as_function(name, receiver, after=value.owner)
        if function is not None:
            return function
    return Bound(value, name)


def assume_field(
    spec: specs.Spec,
    name: str,
    scope: str,
    number: Callable[[str], Size] = integer,
    variables: Mapping[str, Value] | None = None,
) -> Value:
    """A field of an instance that was passed in; its axes are the instance's own."""
    names = Names(lambda n: axis(n, scope), where=f"{scope}.", variables=dict(variables or {}))
    if isinstance(spec, specs.UnionSpec):
        return choice([assume_field(option, name, scope, number, variables) for option in spec.options])
    if isinstance(spec, specs.NumberSpec) and spec.kind == "int":
        return number(f"{scope}.{name}" if scope else name)
    return assume(spec, names, name)
