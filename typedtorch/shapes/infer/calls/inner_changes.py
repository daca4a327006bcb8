"""What functions that somebody else calls change: of what they capture, and of the objects they belong to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from typedtorch.shapes.infer.classes import updates
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.program.index import Facts
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    DictV,
    FunctionV,
    Instance,
    Partial,
    Sequence,
    Tensor,
    Value,
)


def forget_what_it_changes(frame: Frame, facts: Facts, closure: dict[str, Value]) -> None:
    """What a local function changes may be changed at any time from here on, as it is called."""
    for name in facts.changed_names:
        if not isinstance(closure.get(name), Tensor):  # of a tensor ``sort`` and its like make another
            _forget_items(frame, name)
            closure.pop(name, None)
    _forget_attributes(frame, facts, closure)


def handed_over(frame: Frame, values: Iterable[Value]) -> None:
    """What is given to something unknown may be called, or its methods may be, at any time from here on."""
    for value in values:
        if isinstance(value, Partial):
            handed_over(frame, [value.function, *value.args, *value.kwargs.values()])
        elif isinstance(value, Instance):
            later = updates.as_later(value)
            frame.state.replace_value(value, later)
            for held in updates.dicts_within(later) if isinstance(later, Instance) else ():
                frame.state.replace_value(held, replace(held, rest=UNKNOWN))
        elif isinstance(value, (tuple, Sequence, DictV)):
            handed_over(frame, updates.changing_inside(value))
        elif isinstance(value, FunctionV):
            if isinstance(value.bound, Instance):
                frame.state.replace_value(value.bound, updates.after(value.bound, value.name))
            captured = value.captured if frame.function is not None else frame.state.variables
            _forget_attributes(frame, value.module.facts(value.node), dict(captured))


def _forget_attributes(frame: Frame, facts: Facts, closure: dict[str, Value]) -> None:
    set_on: dict[str, set[str]] = {}
    for name, attribute in facts.stored | facts.within:
        set_on.setdefault(name, set()).add(attribute)
    filled = closure.keys() if facts.changed_attributes else set[str]()
    for name in (set_on.keys() | facts.passed | filled) & closure.keys() - facts.local:
        value = frame.state.variables.get(name)
        if facts.reshapes and isinstance(value, Tensor) and name in facts.passed:
            frame.state.replace_value(value, UNKNOWN)
            closure[name] = UNKNOWN
        if not isinstance(value, Instance):
            continue
        changed = facts.changed_attributes & value.attributes.keys() if filled else set[str]()
        attributes = set_on.get(name, set()) | _set_by_methods(value, facts.called) | changed
        if attributes:
            left = replace(value, attributes={**value.attributes, **dict.fromkeys(attributes, UNKNOWN)})
            frame.state.replace_value(value, left)
            closure[name] = left


def _set_by_methods(value: Instance, called: set[str]) -> set[str]:
    """The attributes that some methods of an object set on it."""
    found: set[str] = set()
    for method in called:
        for owner in value.info.mro():
            for node in owner.methods.get(method, ()):
                own = [*node.args.posonlyargs, *node.args.args][:1]
                stored = owner.module.facts(node).stored
                found |= {attribute for name, attribute in stored if own and name == own[0].arg}
    return found


def _forget_items(frame: Frame, name: str) -> None:
    value = frame.state.variables.get(name)
    if isinstance(value, Sequence) and value.kind in ("list", "set", "deque"):
        element = value.element if value.items == () else UNKNOWN  # as it was annotated
        frame.state.replace_value(value, Sequence(value.kind, None, element))
    elif isinstance(value, DictV):
        for inner in (*value.items.values(), value.rest):  # by whatever other name a list in it is held
            if isinstance(inner, (Sequence, DictV)):
                frame.state.replace_value(inner, updates.emptied(inner))
        frame.state.replace_value(frame.state.variables.get(name), DictV({}, UNKNOWN, value.kind))
    elif name in frame.state.variables and not isinstance(value, Tensor):
        frame.state.variables[name] = UNKNOWN


__all__ = ["forget_what_it_changes", "handed_over"]
