"""What a caller sees of a call that was followed: what it changed of what it was given, and proved."""

from __future__ import annotations

from collections.abc import Mapping

from typedtorch.shapes.infer.calls.inner_changes import handed_over
from typedtorch.shapes.infer.classes import updates
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values import objects
from typedtorch.shapes.infer.values.contents import sizes_in
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    DictV,
    FunctionV,
    Instance,
    LayerV,
    Sequence,
    Tensor,
    Value,
    equal,
    join_all,
)
from typedtorch.shapes.proofs import Facts, common
from typedtorch.shapes.size import atoms


def write_back(
    frame: Frame, function: FunctionV, inner: Frame, before: Mapping[str, Value]
) -> list[tuple[Value, Value]]:
    """What a call changed in the objects and containers it was given, the caller sees changed."""
    facts = function.module.facts(function.node)
    changed: list[tuple[Value, Value]] = []
    for name, old in before.items():
        if not isinstance(old, (Instance, Sequence, DictV, LayerV)):
            if isinstance(old, Tensor) and facts.reshapes:
                new = join_all([state.variables.get(name, UNKNOWN) for state in inner.exits] or [old], name)
                if not equal(new, old) or name in facts.last_store:
                    new = UNKNOWN if name in facts.last_store else new
                    frame.state.replace_value(old, new)
                    changed.append((old, new))
            continue
        ends = [state.variables.get(name, UNKNOWN) for state in inner.exits]
        if not ends or all(v is old for v in ends):
            continue
        if name in facts.last_store:
            # rebound in the body: the object that was passed may or may not have changed
            if name not in facts.changed_names:
                continue
            new = updates.emptied(old)
        else:
            new = join_all(ends, name)
            if type(new) is not type(old):
                new = UNKNOWN if isinstance(old, LayerV) else updates.emptied(old)
        reshaped = updates.reshaped_in(old, new) if facts.reshapes else []
        for was, now in [(old, new), *((tensor, UNKNOWN) for tensor in reshaped)]:
            frame.state.replace_value(was, now)
            changed.append((was, now))
    for old, new in objects.changed_inside(before.values(), inner.state.log or [], changed):
        frame.state.replace_value(old, new)
        changed.append((old, new))
    changed += _still_one_of(frame, inner, changed)
    handed_over(frame, [f for f in function.captured.values() if isinstance(f, FunctionV) and f.is_bound])
    return changed


def _still_one_of(
    frame: Frame, inner: Frame, changed: list[tuple[Value, Value]]
) -> list[tuple[Value, Value]]:
    """What the objects that were given hold now and is one of several objects still is one of them."""
    chosen = {
        n: v for state in inner.exits for n, v in state.variables.items() if n.startswith(objects.ONE_OF)
    }
    if not chosen:
        return []
    now = {id(part) for _, new in changed for part in objects.objects_in(new, objects.DEEP)}
    kept = {name: value for name, value in chosen.items() if type(value) is tuple and id(value[0]) in now}
    frame.state.variables.update(kept)
    return [(value[0], value[0]) for value in kept.values()]


def proven_by(inner: Frame, given: tuple[Value, ...]) -> Facts:
    """What holds of the sizes that a call was given once it has returned, whichever way it took."""
    facts = common([state.proven for state in inner.exits]) if inner.exits else ()
    known = sizes_in(given) if facts else frozenset()
    return tuple([fact for fact in facts if known.issuperset(atoms(fact))])


__all__ = ["proven_by", "write_back"]
