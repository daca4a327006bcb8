"""Whether an object still is what its constructor made: what is known of methods in general is of those."""

from __future__ import annotations

from typedtorch.shapes.infer.values.values import UNKNOWN, DictV, Instance, LayerV, Sequence, Value

_DEEP = 4


def is_as_made(instance: Instance) -> bool:
    """Whether its lists, dicts and modules have the parts that they had, as far as that is known."""
    return _are_alike(instance, instance.info.symbolic(), _DEEP)


def _are_alike(now: Value, made: Value, depth: int) -> bool:
    if now is made or depth == 0:
        return True
    if isinstance(made, Instance) and isinstance(now, Instance):
        known = made.attributes
        return all(_are_alike(v, known[k], depth - 1) for k, v in now.attributes.items() if k in known)
    if isinstance(made, Sequence) and isinstance(now, Sequence) and made.items is not None:
        if now.items is None or len(now.items) != len(made.items):
            return False
        return all(_are_alike(x, y, depth - 1) for x, y in zip(now.items, made.items, strict=True))
    if isinstance(made, DictV) and isinstance(now, DictV) and made.rest is None:
        if now.rest is not None or now.items.keys() != made.items.keys():
            return False
        return all(_are_alike(v, made.items[k], depth - 1) for k, v in now.items.items())
    if isinstance(made, LayerV) and isinstance(now, LayerV):
        known = made.layer.attributes
        return all(v == known[k] for k, v in now.layer.attributes.items() if type(known.get(k)) is int)
    if type(made) is int and type(now) is int:
        return now == made
    return now is not UNKNOWN or not isinstance(made, (Sequence, DictV, LayerV, Instance))
