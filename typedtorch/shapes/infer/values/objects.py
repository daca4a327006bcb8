"""Objects and containers that change: another put in the place of one, wherever it is held.

Values are immutable, so what holds it is made anew too: once, however many hold that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import replace

from typedtorch.shapes.infer.classes.updates import emptied, only_at_start
from typedtorch.shapes.infer.values.contents import with_parts
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Bound,
    Choice,
    DictV,
    FunctionV,
    Instance,
    Partial,
    Sequence,
    Tensor,
    Value,
    is_size,
    join,
)
from typedtorch.shapes.rule import Fields, like

DEEP = 3  # how far inside others an object is looked for


class Replacement:
    """Puts one object in the place of another, anywhere inside values.

    >>> x, y = Sequence("list", (1,)), Sequence("list", (1, 2))
    >>> held = Sequence("list", (x, 3))
    >>> a, b = Replacement(x, y)((held, (held, x)))
    >>> a.items[0] is y, b[0] is a
    (True, True)
    """

    def __init__(self, old: Value, new: Value) -> None:
        self._old, self._new = old, new
        self._resizes = resizes(old, new)
        self._made: dict[int, tuple[Value, Value]] = {}  # with what it was made of, which so stays alive
        if isinstance(new, (Sequence, DictV)) and _holds(new, old, DEEP):  # a child in its parent's list
            self._new = with_parts(new, lambda part: UNKNOWN if is_or_holds(part, old) else part)

    def __call__(self, value: Value, depth: int = DEEP) -> Value:
        if value is self._old:
            return self._new
        if depth == 0 or not _holds(value, self._old, depth):
            return value
        made = self._made.get(id(value))
        if made is None:
            made = self._made[id(value)] = value, self._made_anew(value, depth)
        return made[1]

    def everywhere(self, variables: dict[str, Value]) -> None:
        """In the value of each variable."""
        for name, value in variables.items():
            if value is self._old or type(value) in _PARTS:
                variables[name] = self(value)

    def _made_anew(self, value: Value, depth: int) -> Value:
        def inside(part: Value) -> Value:
            return self(part, depth - 1)

        def any_inside(part: Value) -> Value:  # one of the items it stands for
            return part if (changed := inside(part)) is part else join(part, changed, "item")

        if isinstance(value, Instance):
            attributes = {k: inside(v) for k, v in value.attributes.items()}
            return replace(value, attributes=attributes, altered=value.altered or self._resizes)
        if isinstance(value, Choice):
            return Choice(tuple(map(inside, value.options)), value.proves)
        if isinstance(value, FunctionV):
            return value.bind(inside(value.bound))
        if isinstance(value, Bound):
            return Bound(inside(value.receiver), value.name)
        if isinstance(value, Partial):
            kwargs = {k: inside(v) for k, v in value.kwargs.items()}
            args = tuple(map(inside, value.args))
            return replace(value, function=inside(value.function), args=args, kwargs=kwargs)
        if isinstance(value, DictV):
            items = {k: inside(v) for k, v in value.items.items()}
            return replace(value, items=items, rest=any_inside(value.rest))
        if isinstance(value, Sequence) and value.items is not None:
            return replace(value, items=tuple(map(inside, value.items)))
        if isinstance(value, Sequence):
            grown = value.grown and value.grown.changed(any_inside)
            return replace(value, element=any_inside(value.element), grown=grown)
        return like(value, map(inside, value))


def resizes(had: Value, value: Value) -> bool:
    """Whether what is put in the place of a tensor, number or module may have other sizes."""
    if isinstance(had, Instance) and isinstance(value, Instance):
        return value.altered and not had.altered
    if isinstance(had, Tensor):
        return not isinstance(value, Tensor) or had.shape != value.shape
    return is_size(had) and had != value


def without(value: Value, holder: Value) -> Value:
    """What an object is given as an attribute that holds the object itself: of that nothing stays known."""
    return Replacement(holder, UNKNOWN)(value)


CHANGING = (Instance, Sequence, DictV)
ONE_OF = "<one of "  # begins the name under which a state keeps a value that is one of two objects, and these


def one_of(variables: dict[str, Value], place: str, joined: Value, options: tuple[Value, ...]) -> Value:
    """A value that is one of several objects: what is changed of it is changed of one of them."""
    if not isinstance(joined, CHANGING):
        return joined
    joined = replace(joined)  # another object than each, though it may say the same
    variables[f"{ONE_OF}{place}>"] = (joined, *options)
    return joined


def weakened(held: tuple[Value, ...], old: Value, new: Value) -> list[tuple[Value, Value]]:
    """Of what ``one_of`` keeps, the objects that may have changed as ``old`` did, each with what is left."""
    if not any(option is old for option in held):
        return []
    others = held[1:] if held[0] is old else held[:1]
    return [(each, _perhaps_changed(each, old, new)) for each in others]


def _perhaps_changed(value: Value, old: Value, new: Value) -> Value:
    if not isinstance(value, Instance):
        either = join(value, new, "one of")
        return either if type(either) is type(value) else emptied(value)
    was = old.attributes if isinstance(old, Instance) else {}
    now = new.attributes if isinstance(new, Instance) else {}
    every = {*was, *now, *value.attributes}
    differing = {k for k in every if k not in was or now.get(k, UNKNOWN) is not was[k]}
    return replace(value, attributes={**value.attributes, **dict.fromkeys(differing, UNKNOWN)}, altered=True)


def changed_inside(
    given: Iterable[Value], log: Iterable[tuple[Value, Value]], known: Iterable[tuple[Value, Value]]
) -> list[tuple[Value, Value]]:
    """What a call changed inside the objects it was given, for whoever else holds that.

    Args:
        log: each change in the call, in order, whichever way was taken.
        known: what became of the objects that were given themselves.
    """
    after: dict[int, list[Value]] = {}
    for old, new in log:
        after.setdefault(id(old), []).append(new)
    if not after:
        return []
    done = {id(old) for old, _ in known}
    now = {id(part) for _, new in known for part in objects_in(new, DEEP)}
    parts = {id(part): part for value in given for part in objects_in(value, DEEP)}
    same = {at: part for old, new in known for at, part in _successors(old, new, after.keys(), DEEP)}
    changed = [part for at, part in parts.items() if (at in after or at in same) and at not in done]
    return [(part, same[id(part)] if id(part) in same else _in_the_end(part, after, now)) for part in changed]


def _successors(old: Value, new: Value, touched: Set[int], depth: int) -> Iterator[tuple[int, Value]]:
    """What became of the objects in the attributes of one, where nobody puts others in their place."""
    if not isinstance(old, Instance) or not isinstance(new, Instance) or not depth:
        return
    given = old.info.module.facts(old.info.module.tree).given
    for name, part in old.attributes.items():
        now = new.attributes.get(name)
        stays = only_at_start(old.info, name) and name not in given
        if not stays or part is now or type(part) is not type(now) or not isinstance(part, CHANGING):
            continue
        if any(id(p) in touched for p in objects_in(part, DEEP)):  # else setattr() gave another
            yield id(part), now
            yield from _successors(part, now, touched, depth - 1)


def _in_the_end(part: Value, after: dict[int, list[Value]], now: Set[int]) -> Value:
    """What an object became: its last version where each has but one, else what all have in common."""
    versions, last = [part], part
    while len(following := after.get(id(last), [])) == 1 and following[0] is not UNKNOWN:
        last = following[0]
        versions.append(last)
        if len(versions) > _VERSIONS:
            return UNKNOWN
    if id(last) in now and not following:
        return last
    versions += [new for version in versions for new in after.get(id(version), [])]
    if not isinstance(part, Instance):
        return emptied(part)
    same = {
        k: v
        for k, v in part.attributes.items()
        if all(isinstance(x, Instance) and x.attributes.get(k, UNKNOWN) is v for x in versions)
    }
    return replace(part, attributes={**dict.fromkeys(part.attributes, UNKNOWN), **same}, altered=True)


_VERSIONS = 100


def objects_in(value: Value, depth: int) -> list[Value]:
    """What may be changed of a value: it, and what is inside."""
    found: list[Value] = []
    _find_objects(value, depth, found)
    return found


def _find_objects(value: Value, depth: int, found: list[Value]) -> None:
    if isinstance(value, CHANGING):
        found.append(value)
    parts = _PARTS.get(type(value)) if depth else None
    if parts is not None:
        for part in parts(value):
            if type(part) in _PARTS:
                _find_objects(part, depth - 1, found)


def held_in(values: Iterable[Value]) -> Set[int]:
    """The identities of all objects that some values are or hold; the values must stay alive."""
    found: set[int] = set()
    for value in values:
        if isinstance(value, CHANGING):
            found.add(id(value))
            found |= _held(value)
        elif type(value) in _PARTS:
            _find_parts(value, DEEP, found)
    return found


def is_or_holds(value: Value, old: Value) -> bool:
    """Whether a value is an object, or it is somewhere inside."""
    return value is old or _holds(value, old, DEEP)


def _holds(value: Value, old: Value, depth: int) -> bool:
    """Whether an object is somewhere inside a value."""
    if depth == DEEP and isinstance(value, CHANGING):
        return id(old) in _held(value)
    parts = _PARTS.get(type(value))
    if parts is not None:
        for part in parts(value):
            if part is old or (depth > 1 and type(part) in _PARTS and _holds(part, old, depth - 1)):
                return True
    return False


def _held(value: Instance | Sequence | DictV) -> Set[int]:
    """The identities of all that is inside a value, as far as it is looked for."""
    if value.held is None:
        found: set[int] = set()
        _find_parts(value, DEEP, found)
        object.__setattr__(value, "held", frozenset(found))  # it never changes: found once
    return value.held or frozenset()


def _find_parts(value: Value, depth: int, found: set[int]) -> None:
    for part in _PARTS[type(value)](value):
        found.add(id(part))
        if depth > 1 and type(part) in _PARTS:
            _find_parts(part, depth - 1, found)


_PARTS: dict[type, Callable[[Value], Iterable[Value]]] = {
    Instance: lambda value: value.attributes.values(),
    Sequence: lambda value: (value.element, *(value.grown or ())) if value.items is None else value.items,
    DictV: lambda value: (value.rest, *value.items.values()),
    Choice: lambda value: value.options,
    FunctionV: lambda value: (value.bound,),
    Bound: lambda value: (value.receiver,),
    Partial: lambda value: (value.function, *value.args, *value.kwargs.values()),
    tuple: lambda value: value,
    Fields: lambda value: value,
}
