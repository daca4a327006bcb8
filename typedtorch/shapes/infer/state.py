"""What is known at one point of a function: its variables, and what its axis names mean there.

Join and widening.  ``join`` takes the least upper bound of two states variable by variable; sizes
that differ become unknown sizes named after the place of the join, so the same join always gives
the same value.  A loop's head is joined with its body's end until nothing changes; every join can
only replace a known part of a value by an unknown one, values have bounded depth (``forget`` cuts
what still changes after :data:`MAX_ROUNDS`), so this ends.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, replace

from typedtorch.shapes.equality import same
from typedtorch.shapes.infer.assuming import Names
from typedtorch.shapes.infer.ties import Ties
from typedtorch.shapes.infer.values import (
    Bound,
    Choice,
    ClassV,
    DictV,
    External,
    FunctionV,
    Instance,
    LayerV,
    Sequence,
    Value,
    equal,
    join,
)
from typedtorch.shapes.rule import Fields, Record, like
from typedtorch.shapes.size import Atom, Poly, Size, as_poly, atoms, substitute, unknown
from typedtorch.shapes.tensor import UNKNOWN, Entry, Pack, Shape, Tensor, has_open_run

MAX_ROUNDS = 4


class State:
    """Variables and axis names; copied before a branch."""

    __slots__ = ("autocast", "names", "ties", "variables")

    def __init__(
        self, variables: dict[str, Value], names: Names, autocast: bool = False, ties: Ties | None = None
    ) -> None:
        self.variables, self.names, self.autocast = variables, names, autocast
        self.ties = Ties() if ties is None else ties

    def copy(self) -> State:
        return State(dict(self.variables), self.names.copy(), self.autocast, self.ties.copy())

    def replace_value(self, old: Value, new: Value) -> None:
        """A mutation: every name and attribute that held the old object holds the new one."""
        for name, value in self.variables.items():
            if value is old:
                self.variables[name] = new
            elif type(value) not in _HOLDS_NOTHING and _holds(value, old, _DEEP):
                self.variables[name] = _replace_object(value, old, new, _DEEP)

    def equate(self, atom: Atom, size: Size) -> None:
        """From here on this atom is that size."""
        self.transform(lambda s: substitute(s, {atom: size}))
        if atom.kind == "axis" and isinstance(size, int):
            self.names.dispatched = True
        self.ties = self.ties.none()

    def transform(
        self,
        change: Callable[[Size], Size],
        run: Callable[[Pack], Pack] | None = None,
        since: State | None = None,
    ) -> None:
        """Change every size, and every run of axes; of variables, those that another state has not."""
        known = {} if since is None else since.variables
        for name, value in self.variables.items():
            if name not in known or known[name] is not value:
                self.variables[name] = map_sizes(value, change, run)
        self.names.sizes = {k: change(v) for k, v in self.names.sizes.items()}
        self.names.packs = {k: map_shape(v, change, run) for k, v in self.names.packs.items()}

    def replace_pack(self, pack: Pack, shape: Shape) -> None:
        """The rank of a run of axes became known."""
        for name, value in self.variables.items():
            self.variables[name] = map_tensors(value, lambda t: _expand_pack(t, pack, shape))
        self.names.packs = {k: _expand(v, pack, shape) for k, v in self.names.packs.items()}


# kinds of values, the most frequent ones, that have no others inside them
_HOLDS_NOTHING = frozenset(
    {Tensor, Poly, int, bool, float, str, type(None), External, FunctionV, ClassV, LayerV}
)


_DEEP = 3  # how far inside others an object is looked for


def _holds(value: Value, old: Value, depth: int) -> bool:
    """Whether an object is somewhere inside a value."""
    parts = _PARTS.get(type(value))
    if parts is not None:
        for part in parts(value):
            if part is old:
                return True
            if depth > 1 and type(part) not in _HOLDS_NOTHING and _holds(part, old, depth - 1):
                return True
    return False


_PARTS: dict[type, Callable[[Value], Iterable[Value]]] = {
    Instance: lambda value: value.attributes.values(),
    Sequence: lambda value: value.items or (),
    DictV: lambda value: value.items.values(),
    Choice: lambda value: value.options,
    tuple: lambda value: value,
    Fields: lambda value: value,
}


def _replace_object(value: Value, old: Value, new: Value, depth: int) -> Value:
    if value is old:
        return new
    if depth == 0 or type(value) in _HOLDS_NOTHING or not _holds(value, old, depth):
        return value

    def inside(part: Value) -> Value:
        return _replace_object(part, old, new, depth - 1)

    if isinstance(value, Instance):
        return replace(value, attributes={k: inside(v) for k, v in value.attributes.items()})
    if isinstance(value, Choice):
        return Choice(tuple(map(inside, value.options)))
    if isinstance(value, DictV):
        return replace(value, items={k: inside(v) for k, v in value.items.items()})
    if isinstance(value, Sequence):
        return replace(value, items=tuple(map(inside, value.items or ())))
    return like(value, map(inside, value))


def _expand(shape: Shape, pack: Pack, by: Shape) -> Shape:
    out: list[Entry] = []
    for entry in shape:
        if entry == pack:
            out.extend(by)
        else:
            out.append(entry)
    return tuple(out)


def _expand_pack(tensor: Tensor, pack: Pack, by: Shape) -> Tensor:
    if pack not in tensor.shape:
        return tensor
    return replace(tensor, layout=None, shape=_expand(tensor.shape, pack, by))


def map_shape(
    shape: Shape, change: Callable[[Size], Size], run: Callable[[Pack], Pack] | None = None
) -> Shape:
    return tuple((e if run is None else run(e)) if isinstance(e, Pack) else change(e) for e in shape)


def map_sizes(
    value: Value, change: Callable[[Size], Size], run: Callable[[Pack], Pack] | None = None
) -> Value:
    """Apply a change to every size inside a value; the value itself where nothing changed."""
    if isinstance(value, Poly):
        return change(value)

    def in_tensor(tensor: Tensor) -> Tensor:
        shape = map_shape(tensor.shape, change, run)
        return tensor if shape == tensor.shape else replace(tensor, layout=None, shape=shape)

    return map_tensors(value, in_tensor, change)


def map_tensors(
    value: Value, change: Callable[[Tensor], Tensor], size: Callable[[Size], Size] | None = None
) -> Value:
    """Apply a change to every tensor (and size) inside a value."""

    def go(v: Value) -> Value:
        if isinstance(v, Tensor):
            return change(v)
        if isinstance(v, Poly):
            return v if size is None else size(v)
        if type(v) in _HOLDS_NOTHING:
            return v
        if isinstance(v, Record):
            return type(v)(**{n: go(x) for n, x in zip(v.names, v, strict=True)})
        if isinstance(v, tuple):
            parts = [go(x) for x in v]
            return v if _all_same(parts, v) else like(v, parts)
        if isinstance(v, Choice):
            options = tuple([go(x) for x in v.options])
            return v if _all_same(options, v.options) else replace(v, options=options)
        if isinstance(v, Sequence):
            items = None if v.items is None else tuple(go(x) for x in v.items)
            element = go(v.element)
            length = v.length if size is None or v.length is None else size(v.length)
            if items == v.items and element is v.element and length == v.length:
                return v
            return replace(v, items=items, element=element, length=length)
        if isinstance(v, DictV):
            held, rest = {k: go(x) for k, x in v.items.items()}, go(v.rest)
            if rest is v.rest and _all_same(held.values(), v.items.values()):
                return v
            return replace(v, items=held, rest=rest)
        if isinstance(v, Instance):
            changed = {k: go(x) for k, x in v.attributes.items()}
            if _all_same(changed.values(), v.attributes.values()):
                return v
            return replace(v, attributes=changed)
        if isinstance(v, Bound):
            receiver = go(v.receiver)
            return v if receiver is v.receiver else replace(v, receiver=receiver)
        return v

    return go(value)


def _all_same(new: Iterable[Value], old: Iterable[Value]) -> bool:
    return all(map(operator.is_, new, old))


@dataclass(frozen=True, slots=True)
class _Case:
    """What one way knows of names that stand for every size on another: ``x.ndim == 1``, ``b == 1``.

    ``(*batch, d)`` on one way and ``(d,)`` where ``batch`` is empty join to ``(*batch, d)``.
    """

    sizes: Mapping[Atom, Size]
    runs: Mapping[Pack, Shape]
    names: Set[str]

    @staticmethod
    def of(general: Names, special: Names) -> _Case | None:
        sizes: dict[Atom, Size] = {}
        runs: dict[Pack, Shape] = {}
        names: set[str] = set()
        for name, size in general.sizes.items():
            own = atoms(size)
            known = special.sizes.get(name, size)
            if len(own) == 1 and known != size:
                atom = next(iter(own))
                if atom.kind == "axis" and size == as_poly(atom) and atom not in atoms(known):
                    sizes[atom] = known
                    names.add(name)
        for name, shape in general.packs.items():
            known_run = special.packs.get(name, shape)
            run = shape[0] if len(shape) == 1 else None
            if isinstance(run, Pack) and not run.open and known_run != shape and not has_open_run(known_run):
                runs[run] = known_run
                names.add(name)
        return _Case(sizes, runs, names) if names else None

    def of_value(self, value: Value) -> Value:
        for run, shape in self.runs.items():
            value = map_tensors(value, lambda t, run=run, shape=shape: _expand_pack(t, run, shape))  # type: ignore[misc]  # bound in this turn
        return map_sizes(value, lambda size: substitute(size, self.sizes)) if self.sizes else value


def join_states(a: State | None, b: State | None, key: str) -> State | None:
    """What holds whichever way was taken; None stands for a way that is never taken."""
    if a is None or b is None:
        return b if a is None else a
    joined: dict[tuple[int, int], Value] = {}
    to_a, to_b = _Case.of(b.names, a.names), _Case.of(a.names, b.names)

    def once(x: Value, y: Value, name: str) -> Value:
        # two names of one object stay two names of one object
        pair = (id(x), id(y))
        if pair not in joined:
            if to_b is not None and equal(to_b.of_value(x), y):
                joined[pair] = x
            elif to_a is not None and equal(to_a.of_value(y), x):
                joined[pair] = y
            else:
                joined[pair] = join(x, y, f"{key}.{name}")
        return joined[pair]

    variables = dict(a.variables)
    for name, value in b.variables.items():
        if name not in variables:
            variables[name] = value
        elif variables[name] is not value:
            variables[name] = once(variables[name], value, name)
    names = a.names.copy()
    names.sizes = _join_names(a.names.sizes, b.names.sizes, key)
    names.packs = {k: v for k, v in a.names.packs.items() if b.names.packs.get(k, v) == v}
    for general, case in ((a, to_b), (b, to_a)):
        if case is not None:
            names.sizes.update({k: v for k, v in general.names.sizes.items() if k in case.names})
            names.packs.update({k: v for k, v in general.names.packs.items() if k in case.names})
    if a.names.free or b.names.free:
        names.release(a.names.free | b.names.free)
    return State(variables, names, a.autocast and b.autocast, a.ties.join(b.ties))


def _join_names(a: Mapping[str, Size], b: Mapping[str, Size], key: str) -> dict[str, Size]:
    result = {**b, **a}
    for name in a.keys() & b.keys():
        if same(a[name], b[name]) is not True:
            result[name] = unknown(f"?{key}.{name}")
    return result


def equal_states(a: State, b: State) -> bool:
    return (
        a.variables.keys() == b.variables.keys()
        and all(equal(v, b.variables[k]) for k, v in a.variables.items())
        and a.names.sizes == b.names.sizes
    )


def forget_changed(before: State, after: State) -> State:
    """Widening: variables that still change between two rounds become unknown."""
    state = after.copy()
    for name, value in after.variables.items():
        if name not in before.variables or not equal(before.variables[name], value):
            state.variables[name] = UNKNOWN
    state.names.sizes = {
        k: v if before.names.sizes.get(k) == v else unknown(f"?{k}") for k, v in after.names.sizes.items()
    }
    return state
