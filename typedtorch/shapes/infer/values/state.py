"""What is known at one point of a function: its variables, and what its axis names mean there.

Join and widening.  ``join`` takes the least upper bound of two states variable by variable; sizes
that differ become unknown sizes named after the place of the join, so the same join always gives
the same value.  A loop's head is joined with its body's end until nothing changes; every join can
only replace a known part of a value by an unknown one, values have bounded depth (``forget`` cuts
what still changes after :data:`MAX_ROUNDS`), so this ends.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from typedtorch.shapes.equality import same
from typedtorch.shapes.infer.annotations.assuming import Names
from typedtorch.shapes.infer.conditions import proven
from typedtorch.shapes.infer.operators.ties import Ties
from typedtorch.shapes.infer.values.contents import (
    AnyItemForgotten,
    Substitution,
    sizes_in,
    sizes_of_any_item,
)
from typedtorch.shapes.infer.values.objects import CHANGING, ONE_OF, Replacement, held_in, one_of, weakened
from typedtorch.shapes.infer.values.values import (
    Scalar,
    Tensor,
    Value,
    equal,
    join,
    join_parts,
)
from typedtorch.shapes.proofs import Facts, common, without
from typedtorch.shapes.size import Atom, Size, as_poly, atoms, unknown
from typedtorch.shapes.tensor import UNKNOWN, Pack, Shape, has_open_run

MAX_ROUNDS = 4
_T = TypeVar("_T")
Tests: TypeAlias = tuple[tuple[_T, bool], ...]  # what was tested, and how it came out


class State:
    """Variables and axis names; copied before a branch."""

    __slots__ = (
        "asked", "autocast", "flags", "log", "names", "proven", "settings", "tests", "ties", "variables",
    )  # fmt: skip

    def __init__(
        self,
        variables: dict[str, Value],
        names: Names,
        autocast: bool = False,
        ties: Ties | None = None,
        log: list[tuple[Value, Value]] | None = None,
        proven: Facts = (),
        flags: Tests[Scalar] = (),
        settings: Tests[ast.AST] = (),
        asked: Tests[frozenset[Atom]] = (),
        tests: Tests[ast.expr] = (),
    ) -> None:
        self.variables, self.names, self.autocast = variables, names, autocast
        self.proven = proven  # of sizes, by the tests that led here
        self.flags = flags  # arguments that are true, or false, on the way here
        self.settings = settings  # other tests of settings, and how they came out
        self.asked = asked  # sizes that were compared in ways that say nothing certain of them
        self.tests = tests  # that may come out either way, and how each did on the way here
        self.ties = Ties() if ties is None else ties
        self.log = log  # of a body that a call looks into: what was changed, whichever way was taken

    def copy(self) -> State:
        return State(
            dict(self.variables), self.names.copy(), self.autocast, self.ties.copy(), self.log,
            self.proven, self.flags, self.settings, self.asked, self.tests,
        )  # fmt: skip

    def replace_value(self, old: Value, new: Value) -> None:
        """A mutation: every name and attribute that held the old object holds the new one."""
        kept = [v for n, v in self.variables.items() if n.startswith(ONE_OF) and type(v) is tuple]
        others = [pair for held in kept for pair in weakened(held, old, new)]
        for each, left in ((old, new), *others):
            self._put(each, left)
        if type(old) is Tensor and not (isinstance(new, Tensor) and new.shape == old.shape):
            self._reshaped(old, new)

    def _reshaped(self, was: Tensor, now: Value) -> None:
        """A tensor has another shape; where its sizes are its own it may be any item of a container."""
        if any(isinstance(size, Atom) and size.kind in ("opaque", "int") for size in sizes_in(was)):
            forgotten = AnyItemForgotten(now)
            for name, value in self.variables.items():
                self.variables[name] = forgotten(value)

    def _put(self, old: Value, new: Value) -> None:
        if self.log is not None and isinstance(old, CHANGING):
            self.log.append((old, new))
        Replacement(old, new).everywhere(self.variables)

    def equate(self, atom: Atom, size: Size) -> None:
        """From here on this atom is that size; nothing is, where it is another in each item of some list."""
        if atom.kind == "opaque" and any(atom in sizes_of_any_item(v) for v in self.variables.values()):
            return
        self.substitute(Substitution({atom: size}))
        if atom.kind == "axis" and isinstance(size, int):
            self.names.dispatched = True
        self.ties = self.ties.none()

    def replace_pack(self, pack: Pack, shape: Shape) -> None:
        """The rank of a run of axes became known."""
        self.substitute(Substitution({}, {pack: shape}))

    def substitute(self, by: Substitution) -> None:
        """Put other sizes and runs of axes in the place of some, wherever they are."""
        for name, value in self.variables.items():
            self.variables[name] = by(value)
        self.names.sizes = {k: by.size(v) for k, v in self.names.sizes.items()}
        self.names.packs = {k: by.shape(v) for k, v in self.names.packs.items()}
        self.asked = tuple([(by.atoms(sizes), outcome) for sizes, outcome in self.asked])


@dataclass(frozen=True, slots=True)
class _Case:
    """What one way knows of names that stand for every size on another: ``x.ndim == 1``, ``b == 1``.

    ``(*batch, d)`` on one way and ``(d,)`` where ``batch`` is empty join to ``(*batch, d)``.
    """

    of_value: Substitution
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
                own_name = atom.kind == "axis" and atom.name == name  # not what it was found to equal
                if own_name and size == as_poly(atom) and atom not in atoms(known):
                    sizes[atom] = known
                    names.add(name)
        for name, shape in general.packs.items():
            known_run = special.packs.get(name, shape)
            run = shape[0] if len(shape) == 1 else None
            if isinstance(run, Pack) and not run.open and known_run != shape and not has_open_run(known_run):
                runs[run] = known_run
                names.add(name)
        return _Case(Substitution(sizes, runs), names) if names else None


class _Meeting:
    """Joins the objects of two states: each pair once, wherever it is held.

    Where one of a pair is held on the other way too, the two are not one object that has changed on
    a way, but two: what is changed of either is perhaps changed.
    """

    def __init__(self, a: State, b: State) -> None:
        self._a, self._b = a, b
        self.known = without(a.proven, b.proven), without(b.proven, a.proven)
        self.tells = any(self.known)
        self._held: tuple[Set[int], Set[int]] | None = None
        self.joined: dict[tuple[int, int], Value] = {}
        self.chosen: dict[str, Value] = {}  # variables that say so of the joined objects

    def __call__(self, x: Value, y: Value, key: str) -> Value:
        pair = (id(x), id(y))
        if pair not in self.joined:
            made = join_parts(x, y, key, self)
            if self._are_two(x, y):
                made = one_of(self.chosen, key, made, (x, y))
            self.joined[pair] = made
        return self.joined[pair]

    def told(self, x: Value, y: Value, joined: Value) -> Value:
        """The join of two values, with what the tests that led to each have proven."""
        return proven.of_each((x, y), self.known, joined)

    def _are_two(self, x: Value, y: Value) -> bool:
        if self._held is None:
            self._held = _held_by(self._a), _held_by(self._b)
        return id(x) in self._held[1] or id(y) in self._held[0]


def _held_by(state: State) -> Set[int]:
    return held_in(v for n, v in state.variables.items() if not n.startswith(ONE_OF))


def join_states(a: State | None, b: State | None, key: str) -> State | None:
    """What holds whichever way was taken; None stands for a way that is never taken."""
    if a is None or b is None:
        return b if a is None else a
    meeting = _Meeting(a, b)
    to_a, to_b = _Case.of(b.names, a.names), _Case.of(a.names, b.names)

    def once(x: Value, y: Value, name: str) -> Value:
        # two names of one object stay two names of one object
        pair = (id(x), id(y))
        if pair not in meeting.joined:
            if to_b is not None and equal(to_b.of_value(x), y):
                meeting.joined[pair] = x
            elif to_a is not None and equal(to_a.of_value(y), x):
                meeting.joined[pair] = y
            else:
                meeting.joined[pair] = join(x, y, f"{key}.{name}", meeting)
        return meeting.joined[pair]

    variables = dict(a.variables)
    for name, value in b.variables.items():
        if name not in variables:
            variables[name] = value
        elif variables[name] is not value:
            variables[name] = once(variables[name], value, name)
    variables.update(meeting.chosen)
    names = a.names.copy()
    names.sizes = _join_names(a.names.sizes, b.names.sizes, key)
    names.packs = {k: v for k, v in a.names.packs.items() if b.names.packs.get(k, v) == v}
    for general, case in ((a, to_b), (b, to_a)):
        if case is not None:
            names.sizes.update({k: v for k, v in general.names.sizes.items() if k in case.names})
            names.packs.update({k: v for k, v in general.names.packs.items() if k in case.names})
    if a.names.free or b.names.free:
        names.release(a.names.free | b.names.free)
    joined = State(
        variables, names, a.autocast and b.autocast, a.ties.join(b.ties), a.log,
        a.proven if a.proven == b.proven else common((a.proven, b.proven)),
        _in_both(a.flags, b.flags), _in_both(a.settings, b.settings), _in_both(a.asked, b.asked),
        _in_both(a.tests, b.tests),
    )  # fmt: skip
    if meeting.tells:
        for flag, outcome in a.flags:
            if any(other is flag and came is not outcome for other, came in b.flags):
                joined.replace_value(flag, proven.also(flag, *meeting.known[:: 1 if outcome else -1]))
    return joined


def _in_both(a: Tests[_T], b: Tests[_T]) -> Tests[_T]:
    """The tests that came out alike on both ways."""
    if a is b or not a:
        return a
    return tuple([(test, came) for test, came in a if any(t is test and c is came for t, c in b)])


def _join_names(a: Mapping[str, Size], b: Mapping[str, Size], key: str) -> dict[str, Size]:
    result = {**b, **a}
    for name in a.keys() & b.keys():
        if same(a[name], b[name]) is not True:
            result[name] = unknown(f"?{key}.{name}")
    return result


def among(a: Size, b: Size, asked: Tests[frozenset[Atom]]) -> bool:
    """Whether two sizes are among those that one test has compared; ``n - 1`` is never ``n``."""
    if isinstance(a - b, int):
        return a == b
    both = atoms(a) | atoms(b)
    return bool(both) and any(both <= sizes for sizes, _ in asked)


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
