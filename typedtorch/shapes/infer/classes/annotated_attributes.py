"""Attributes that a class annotates: what reading one promises, and what may be assigned to it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.assuming import Names, assume
from typedtorch.shapes.infer.annotations.declared import more_precise
from typedtorch.shapes.infer.annotations.specs import Spec
from typedtorch.shapes.infer.annotations.unify import match
from typedtorch.shapes.infer.containers import containers
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.reports import messages
from typedtorch.shapes.infer.reports.misaligned import reordered
from typedtorch.shapes.infer.values.contents import Substitution, map_tensors, sizes_in
from typedtorch.shapes.infer.values.values import Instance, Value
from typedtorch.shapes.size import Atom, Size, integer, unknown
from typedtorch.shapes.tensor import Pack, Tensor, pack_index

_OF_OBJECT = "of an object "  # and the sizes that it was made with: no integer of a function


def assume_attribute(instance: Instance, name: str, spec: Spec) -> Value:
    """An annotated attribute; names that are the instance's integers have their sizes.

    Others may have changed since the instance was made; what they were tells it from another instance.
    Reading it again gives the same object.
    """
    if instance.promised is None:
        object.__setattr__(instance, "promised", {})
    known = instance.promised
    assert known is not None
    if name not in known:
        known[name] = _assumed(instance, name, spec)
    return known[name]


def _assumed(instance: Instance, name: str, spec: Spec) -> Value:
    names = Names(_own_size(instance), dict(instance.arguments), generic=True, where=f"{name}.")
    value = containers.castable(assume(spec, names, name))
    if not any(isinstance(size, Pack) for size in sizes_in(value)):
        return value
    return map_tensors(value, lambda tensor: _with_own_runs(tensor, name))


def _own_size(instance: Instance) -> Callable[[str], Size]:
    """Sizes of an object by name: an integer that it was given and that is not known is any size."""
    made_with = " ".join(f"{name}={size}" for name, size in sorted(instance.axes.items()))
    unsaid = set(instance.info.integer_parameters()) - set(instance.arguments)

    def size(name: str) -> Size:
        return unknown(f"?self.{name}") if name in unsaid else integer(name, f"{_OF_OBJECT}{made_with}")

    return size


def with_own_axes(made: Instance, place: str) -> Instance:
    """A new object: what only annotations of its attributes name is its own, not that of each such object."""
    named = [a for a in sizes_in(made) if isinstance(a, Atom) and a.scope.startswith(_OF_OBJECT)]
    own = Substitution({atom: unknown(f"?{place}.{atom.name}") for atom in named})(made)
    return own if isinstance(own, Instance) else made


def _with_own_runs(tensor: Tensor, attribute: str) -> Tensor:
    """``*dims`` of an attribute is not the ``*dims`` of a method's signature: it is some run of axes."""
    if pack_index(tensor.shape) is None:
        return tensor
    runs = (e if not isinstance(e, Pack) or e.open else Pack(f"?{attribute}.{e.name}") for e in tensor.shape)
    return replace(tensor, shape=tuple(runs))


def names_of_attributes(holder: Instance) -> Names:
    """What the axes that annotations of an object's attributes name are."""
    return Names(_own_size(holder), dict(holder.arguments), where="self.")


def check_attribute(frame: Frame, holder: Instance, spec: Spec, value: Value, node: ast.expr) -> Value:
    """An assignment to an annotated attribute."""
    own = names_of_attributes(holder)
    names = own.copy()
    problems = [] if holder.info.rewrites else match(spec, value, names, binder="self")
    if not problems and not holder.info.rewrites and isinstance(value, Tensor):
        options = spec.options if isinstance(spec, specs.UnionSpec) else (spec,)
        arrays = [option for option in options if isinstance(option, specs.ArraySpec)]
        problems = reordered(arrays[0], value) if len(arrays) == 1 else []
    if problems:
        messages.declared(frame, node, problems[0])
    promised = assume(spec, own, "self")
    return promised if problems else more_precise(value, promised)


__all__ = ["assume_attribute", "check_attribute", "names_of_attributes", "with_own_axes"]
