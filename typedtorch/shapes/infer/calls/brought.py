"""What a call brings to a body: numbers, tensors of known rank, or nothing beyond its signature."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.assuming import Names, assume
from typedtorch.shapes.infer.calls.signatures import Signature
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.values import (
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
from typedtorch.shapes.scopes import HELD_SCOPE
from typedtorch.shapes.size import Size, atoms

Brought = Mapping[str, tuple[Value, ast.expr | None]]


def brings_more(
    frame: Frame,
    function: FunctionV,
    signature: Signature,
    bound: Brought,
    names: Names,
) -> bool:
    """Whether a call says what a signature leaves open, so that a body may not fit it that fits others."""
    return not frame.reporter.muted and (
        is_exact(function, bound)
        or counts(signature, bound)
        or captures_tensors(function)
        or brings_a_layer(function, signature, bound)
        or of_open_ranks(signature, bound)
        or of_numbers(signature, bound)
        or unsaid_tensors(signature, bound)
        or not signature.existential <= names.sizes.keys()
    )


def as_annotated(signature: Signature, given: Mapping[str, Value], names: Names) -> dict[str, Value]:
    """What is given for each parameter; of what is not known, what its annotation says."""
    return {
        p.name: assume(p.spec, names, p.name) if given[p.name] is UNKNOWN else given[p.name]
        for p in signature.parameters
        if p.name in given
    }


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
    return isinstance(value, LayerV) or (isinstance(value, Instance) and value.info.kind.is_module)


def captures_tensors(function: FunctionV) -> bool:
    """Whether a body reads tensors of the function that encloses it, or of an object made here."""
    if isinstance(function.bound, Instance) and _made_with_tensors(function.bound):
        return True
    held = {name for name, value in (function.closure or {}).items() if isinstance(value, Tensor)}
    if not held:
        return False
    read = {n.id for n in ast.walk(function.node) if isinstance(n, ast.Name)}
    return not held.isdisjoint(read - function.module.facts(function.node).local)


def _is_own_axis(size: Size) -> bool:
    """Whether a size is one of an object's own, as its methods see them."""
    return not isinstance(size, int) and all(atom.scope == HELD_SCOPE for atom in atoms(size))


def _made_with_tensors(instance: Instance) -> bool:
    """Whether a constructor was given tensors: those of ``self`` in its own methods are any tensors."""
    own = all(_is_own_axis(size) for size in instance.axes.values())
    return bool(instance.axes) and not instance.assumed and not own
