"""What a call brings to a body: numbers, tensors of known rank, or nothing beyond its signature."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from typedtorch.shapes.infer import specs
from typedtorch.shapes.infer.signatures import Signature
from typedtorch.shapes.infer.values import (
    UNKNOWN,
    DictV,
    External,
    FunctionV,
    Instance,
    LayerV,
    Object,
    Sequence,
    Tensor,
    Value,
)

Brought = Mapping[str, tuple[Value, ast.expr | None]]


def of_open_ranks(signature: Signature, bound: Brought) -> bool:
    """Whether several arguments are annotated ``...``: how many axes each has is for the call to say."""
    given = [bound[p.name][0] for p in signature.parameters if p.name in bound and _is_open(p.spec)]
    return len(given) > 1 and all(isinstance(value, Tensor) and value.rank is not None for value in given)


def counts(signature: Signature, bound: Brought) -> bool:
    """Whether a call brings a number for a parameter without annotation, of which a body knows nothing."""
    plain = [p.name for p in signature.parameters if isinstance(p.spec, specs.Anything) and p.default is None]
    return any(name in bound and type(bound[name][0]) is int for name in plain)


def of_numbers(signature: Signature, bound: Brought) -> bool:
    """Whether all sizes of a call are numbers: ``cat((x[:, None], xs), 2)`` fits only where there is one."""
    tensors = [value for value, _ in bound.values() if isinstance(value, Tensor)]
    return bool(tensors) and all(isinstance(e, int) for value in tensors for e in value.shape)


def unsaid_tensors(signature: Signature, bound: Brought) -> bool:
    """Whether a call brings tensors of which the signature says no shape: ``mask: Tensor``, ``tables``."""
    return any(
        is_known_tensor(bound[p.name][0])
        for p in signature.parameters
        if p.name in bound and not specs.shaped(p.spec)
    )


def is_known_tensor(value: Value) -> bool:
    """Whether something is a tensor of known rank, or holds one beside others."""
    if type(value) is tuple:
        return any(map(is_known_tensor, value))
    return isinstance(value, Tensor) and value.rank is not None


def _is_open(spec: specs.Spec) -> bool:
    return isinstance(spec, specs.ArraySpec) and any(
        dim.variadic and dim.kind == "anonymous" for dim in spec.axes.dims
    )


def is_exact(function: FunctionV, bound: Brought) -> bool:
    """Whether a call brings a function, or a layer or an object that was made with numbers or holds some."""
    brought = [value for value, _ in bound.values()]
    if any(isinstance(value, FunctionV) for value in brought):
        return True
    return any(_made_with_numbers(value, 0) for value in [function.bound, *brought])


def _made_with_numbers(value: Value, depth: int) -> bool:
    if depth > 3:
        return False
    if isinstance(value, Instance):
        if any(isinstance(size, int) for size in value.arguments.values()):
            return True
        return any(_made_with_numbers(v, depth + 1) for v in value.attributes.values())
    if isinstance(value, Tensor):
        return depth > 0 and any(isinstance(entry, int) and entry > 1 for entry in value.shape)
    if isinstance(value, LayerV):
        return any(isinstance(v, int) and v > 1 for v in value.layer.attributes.values())
    if isinstance(value, Sequence):
        held = [value.element] if value.items is None else value.items
        return any(_made_with_numbers(v, depth + 1) for v in held)
    if isinstance(value, DictV):
        return any(_made_with_numbers(v, depth + 1) for v in value.items.values())
    return False


def tells_nothing(value: Value) -> bool:
    """An argument with which a body would say no more than without."""
    if isinstance(value, Object):
        return value.holder is None
    return value is UNKNOWN or isinstance(value, External) or value in ((), None)


def is_written(value: Value) -> bool:
    """Whether a value is a number or a dict whose every item is known: what a recursion makes smaller."""
    return type(value) is int or (isinstance(value, DictV) and value.rest is None)


def brings_a_layer(function: FunctionV, signature: Signature, bound: Brought) -> bool:
    """Whether a call brings a layer of which neither the signature nor the object's class says anything."""
    open_ones = [
        p.name for p in signature.parameters if isinstance(p.spec, (specs.Anything, specs.ObjectSpec))
    ]
    if any(name in bound and _is_layer(bound[name][0]) for name in open_ones):
        return True
    receiver = function.bound
    if not isinstance(receiver, Instance) or receiver.assumed:
        return False
    of_class = receiver.info.symbolic().attributes
    return any(
        _is_layer(value) and not _is_layer(of_class.get(name, UNKNOWN))
        for name, value in receiver.attributes.items()
    )


def _is_layer(value: Value) -> bool:
    if isinstance(value, Sequence):
        return any(map(_is_layer, [value.element] if value.items is None else value.items))
    return isinstance(value, LayerV) or (isinstance(value, Instance) and value.info.is_module)
