"""Items of a list: each has axes of its own, which agree among themselves.

``for b in batches: b.x * b.y.sum(1)`` goes wrong as it does for one ``b: Batch``; the next may have other
sizes.  So do tensors with two axes or more that nothing else names: ``weights: list[Float[Tensor, "i o"]]``
are the layers of a network, each as wide as the one before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtorch.shapes.infer.annotations.specs import (
    DictSpec,
    NoneSpec,
    SequenceSpec,
    Spec,
    UnionSpec,
    axis_names,
    binding_names,
)
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.contents import OF_ITEMS, Substitution, parts_of, sizes_in
from typedtorch.shapes.infer.values.values import DictV, Instance, Tensor, Value
from typedtorch.shapes.scopes import ITEM_SCOPE
from typedtorch.shapes.size import Atom, Size, axis, unknown

if TYPE_CHECKING:
    from typedtorch.shapes.infer.calls.signatures import Signature


def axes_of_items(signature: Signature) -> frozenset[str]:
    """Names of axes that stand in the items of one list or dict alone, two of them or more."""
    if not any(_is_of_items(p.spec) for p in signature.parameters):
        return frozenset()
    mentioned = [axis_names(signature.result), *(axis_names(p.spec) for p in signature.parameters)]
    found = set[str]()
    for at, parameter in enumerate(signature.parameters, 1):
        if len(mentioned[at]) > 1 and _is_of_items(parameter.spec):
            own = binding_names(parameter.spec).difference(*mentioned[:at], *mentioned[at + 1 :])
            found |= own if len(own) > 1 else set()
    return frozenset(found)


def _is_of_items(spec: Spec) -> bool:
    if isinstance(spec, UnionSpec):
        return all(isinstance(option, NoneSpec) or _is_of_items(option) for option in spec.options)
    return isinstance(spec, (SequenceSpec, DictSpec))


def of_this_item(frame: Frame, each: Value, which: str) -> Value:
    """An item of a list with axes of its own, or several: ``zip(xs, xs[1:])`` gives two at a time.

    Not where it may be given other tensors: what is changed would be another object than that in its list.
    """
    if frame.depth or not isinstance(each, (Tensor, Instance, DictV, tuple)):
        return each
    found = [a for a in sizes_in(each) if isinstance(a, Atom) and a.kind == "opaque" and OF_ITEMS in a.name]
    if not found or not _keeps_fields(frame, each):
        return each
    if type(each) is tuple:
        return tuple([of_this_item(frame, part, f"{which}.{i}") for i, part in enumerate(each)])
    return Substitution({a: _own(a, which) for a in found})(each)


def of_a_part(frame: Frame, each: Value, place: str) -> Value:
    """What stands for any item of ``xs[1:]``, or of the rest in ``first, *rest = xs``: others than of all."""
    if frame.depth or not isinstance(each, (Tensor, Instance, DictV, tuple)):
        return each
    found = [a for a in sizes_in(each) if isinstance(a, Atom) and a.kind == "opaque" and OF_ITEMS in a.name]
    if not found or not _keeps_fields(frame, each):
        return each
    parted = [(a, *a.name.rpartition(OF_ITEMS)) for a in found]
    others = {a: unknown(f"{holder}:{place}{OF_ITEMS}{name}") for a, holder, _, name in parted}
    return Substitution(others)(each)


def _own(atom: Atom, which: str) -> Size:
    holder, _, name = atom.name.rpartition(OF_ITEMS)
    return axis(name, f"{ITEM_SCOPE}{holder}@{which}")


def of_any_item(value: Value, which: str) -> Value:
    """What was made of one item, as it is for any of them."""
    found = [a for a in sizes_in(value) if isinstance(a, Atom) and a.scope.startswith(ITEM_SCOPE)]
    parted = [(a, *a.scope.removeprefix(ITEM_SCOPE).rpartition("@")) for a in found]
    back = {a: unknown(holder + OF_ITEMS + a.name) for a, holder, _, at in parted if _is_at(at, which)}
    return Substitution(back)(value) if back else value


def _is_at(at: str, which: str) -> bool:
    return at == which or at.startswith(f"{which}.")


def _keeps_fields(frame: Frame, value: Value) -> bool:
    """Whether nothing in the file assigns a field of an object after it is made."""
    if isinstance(value, Instance):
        given = frame.module.facts(frame.module.tree).given
        if not value.info.kind.is_named_tuple and not given.isdisjoint(value.info.fields()):
            return False
    if isinstance(value, (Instance, DictV, tuple)):
        return all(_keeps_fields(frame, part) for part in parts_of(value))
    return True


__all__ = ["axes_of_items", "of_a_part", "of_any_item", "of_this_item"]
