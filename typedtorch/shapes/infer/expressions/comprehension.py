"""Comprehensions and generator expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import replace

from typedtorch.shapes.infer.calls.late import without_names
from typedtorch.shapes.infer.classes import updates
from typedtorch.shapes.infer.conditions import refine
from typedtorch.shapes.infer.containers import enumerations
from typedtorch.shapes.infer.containers.item_axes import of_any_item, of_this_item
from typedtorch.shapes.infer.containers.items import MAX_UNROLL, items_of, iterate
from typedtorch.shapes.infer.containers.lengths import length_of
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.library.folded import LONGEST
from typedtorch.shapes.infer.operators import read_items
from typedtorch.shapes.infer.statements.ages import aged
from typedtorch.shapes.infer.statements.assignment import assign_target
from typedtorch.shapes.infer.statements.iteration import gone_through
from typedtorch.shapes.infer.statements.turns import Held
from typedtorch.shapes.infer.values.contents import sizes_in
from typedtorch.shapes.infer.values.objects import ONE_OF, one_of
from typedtorch.shapes.infer.values.state import State, Tests
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    DictV,
    Instance,
    Sequence,
    Tensor,
    Value,
    equal,
    join,
    join_all,
    of_others,
)
from typedtorch.shapes.proofs import without
from typedtorch.shapes.size import Atom, Size, atoms
from typedtorch.shapes.syntax import walk


def list_comprehension(frame: Frame, node: ast.ListComp) -> Value:
    """``[x for ...]``."""
    made = _comprehend(frame, node, node.generators, lambda: frame.evaluate(node.elt))
    return Sequence("list", *made)


def generator_expression(frame: Frame, node: ast.GeneratorExp) -> Value:
    """``(x for ...)``."""
    made = _comprehend(frame, node, node.generators, lambda: frame.evaluate(node.elt))
    return Sequence("iterator", *made)


def set_comprehension(frame: Frame, node: ast.SetComp) -> Value:
    """``{x for ...}``."""
    _, element, _ = _comprehend(frame, node, node.generators, lambda: frame.evaluate(node.elt))
    return Sequence("set", None, element)


def dict_comprehension(frame: Frame, node: ast.DictComp) -> Value:
    """``{k: v for ...}``."""
    pairs, pair, _ = _comprehend(
        frame,
        node,
        node.generators,
        lambda: (frame.evaluate(node.key), frame.evaluate(node.value)),
    )
    if pairs is not None and all(enumerations.is_key(p[0]) for p in pairs):
        return DictV(dict(pairs))
    return DictV({}, of_others(pair[1]) if isinstance(pair, tuple) else UNKNOWN)


def _comprehend(
    frame: Frame, node: ast.expr, generators: list[ast.comprehension], element: Callable[[], Value]
) -> tuple[tuple[Value, ...] | None, Value, Size | None]:
    """The items where their number is known; else None, a value that stands for each, and how many."""
    outer = frame.state
    frame.state = outer.copy()
    place = frame.place(generators[0].target)
    if any(isinstance(n, ast.Lambda) for n in walk(node)):
        targets = (n for generator in generators for n in walk(generator.target))
        element = _late(element, {n.id for n in targets if isinstance(n, ast.Name)})
    try:
        if len(generators) == 1:
            return _comprehend_one(frame, node, generators[0], element, place, alone=True)
        results: list[Value] = []
        known: list[tuple[Value, ...] | None] = []

        def inner() -> Value:
            items, value, _ = _comprehend(frame, node, generators[1:], element)
            known.append(items)
            results.append(value if items is None else join_all(items, place) if items else UNKNOWN)
            return UNKNOWN

        turns, _, _ = _comprehend_one(frame, node, generators[0], inner, place)
        if turns is not None and len(known) == len(turns):
            every = [item for items in known for item in items or ()]
            if None not in known and len(every) <= LONGEST:
                return tuple(every), UNKNOWN, None
        return None, join_all(results, place) if results else UNKNOWN, None
    finally:
        outer.ties.taken = frame.state.ties.taken
        outer.ties.met = frame.state.ties.met  # two axes of one tensor are two, whenever it was
        _keep_effects(outer, frame.state, node, place)
        outer.asked = frame.state.asked  # what passed a test is used behind it
        frame.state = outer


def _comprehend_one(
    frame: Frame,
    node: ast.expr,
    generator: ast.comprehension,
    element: Callable[[], Value],
    place: str,
    *,
    alone: bool = False,
) -> tuple[tuple[Value, ...] | None, Value, Size | None]:
    iterable = gone_through(frame, frame.evaluate(generator.iter), generator.iter)
    items = items_of(iterable)
    turns = None if items is None or len(items) > MAX_UNROLL else _passing(frame, generator, items)
    if items is not None and turns is not None:
        values, held = [], Held(frame, frame.place(generator.iter), items)
        earlier = sizes_in(tuple(items))
        for turn in turns:
            assign_target(frame, generator.target, held.item(turn))
            for test in generator.ifs:
                frame.state = refine.branch(frame, test)[0] or frame.state
            values.append(aged(element(), node, f"'{turn}", earlier))
        return tuple(values), UNKNOWN, None
    unfiltered = frame.state.copy()
    # which keys of a dict that is written down pass is not known: perhaps none, whatever holds for all
    perhaps_none = generator.ifs and items and all(map(_is_key, items))
    each = whole = UNKNOWN if perhaps_none else iterate(iterable, place)
    if items and isinstance(each, Instance):
        each = whole = one_of(frame.state.variables, place, each, tuple(items))
    this = of_this_item(frame, each, place) if alone else each
    read_items.counting(frame, this, each, items)
    assign_target(frame, generator.target, this)
    for test in generator.ifs:
        then, _ = refine.branch(frame, test)
        if then is None:
            return (), UNKNOWN, None
        frame.state = then
    unfiltered.asked = frame.state.asked = _asked(unfiltered, frame.state)
    before = frame.state.copy()
    each = element()
    changed = changes(before, frame.state)
    if changed:  # a later turn begins with what the ones before it left, and there may be none
        for name, (_, now) in changed.items():
            was = unfiltered.variables.get(name, UNKNOWN)
            unfiltered.replace_value(was, _of_any_turn(was, now, place))
        frame.state = unfiltered.copy()
        assign_target(frame, generator.target, whole)
        with frame.reporter.mute():
            each = join(each, element(), place)
        frame.state = unfiltered
    return None, of_any_item(each, place), None if generator.ifs else length_of(iterable)


def _is_key(item: Value) -> bool:
    """A key, or a pair of a key and its value."""
    return isinstance(item[0] if isinstance(item, tuple) and item else item, str)


def _asked(before: State, after: State) -> Tests[frozenset[Atom]]:
    """The sizes that tests have compared, with those that they have found equal."""
    found = [atoms(fact) for fact in without(after.proven, before.proven)]
    return (*after.asked, *((sizes, True) for sizes in found))


def _passing(frame: Frame, generator: ast.comprehension, items: list[Value]) -> Iterable[int] | None:
    """The turns in which the tests of a comprehension hold; None where that depends on a run."""
    if not generator.ifs:
        return range(len(items))
    saved = frame.state
    verdicts: list[bool | None] = []
    with frame.reporter.mute():
        for item in items:
            frame.state = saved.copy()
            assign_target(frame, generator.target, item)
            verdicts.append(_holds(frame, generator.ifs))
            if verdicts[-1] is None:
                break
    frame.state = saved
    return None if None in verdicts else [turn for turn, verdict in enumerate(verdicts) if verdict]


def _holds(frame: Frame, tests: list[ast.expr]) -> bool | None:
    for test in tests:
        then, other = refine.branch(frame, test)
        if then is None or other is not None:
            return False if then is None else None
        frame.state = then
    return True


def _late(element: Callable[[], Value], targets: set[str]) -> Callable[[], Value]:
    """``[lambda x: x[:i] for i in ...]``: each is called when ``i`` is the last of them."""
    return lambda: without_names(element(), targets)


_CHANGING = (Instance, Sequence, DictV, Tensor)


def changes(before: State, after: State) -> dict[str, tuple[Value, Value]]:
    """The objects, containers and tensors that are others now under the same name."""
    found: dict[str, tuple[Value, Value]] = {}
    for name, was in before.variables.items():
        now = after.variables.get(name, UNKNOWN)
        if now is not was and isinstance(was, _CHANGING) and not equal(was, now):
            found[name] = was, now
    return found


def _of_any_turn(was: Value, now: Value, place: str) -> Value:
    """What an object or a container may be after any number of turns of which the first changed it."""
    if not isinstance(was, Instance) or not isinstance(now, Instance):
        joined = join(was, now, place)
        return joined if type(joined) is type(was) else updates.emptied(was)
    kept = {k: v for k, v in was.attributes.items() if equal(v, now.attributes.get(k, UNKNOWN))}
    other = dict.fromkeys((*was.attributes, *now.attributes), UNKNOWN)
    return replace(was, attributes={**other, **kept}, altered=was.altered or now.altered)


def _keep_effects(outer: State, inner: State, node: ast.expr, place: str) -> None:
    """What the elements changed is changed, and ``:=`` binds outside: all but the targets outlive it."""
    own = {n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound = {n.target.id for n in walk(node) if isinstance(n, ast.NamedExpr)}
    outer.variables.update({n: v for n, v in inner.variables.items() if n.startswith(ONE_OF)})
    for name, (was, now) in changes(outer, inner).items():
        if name not in own:
            outer.replace_value(was, now if type(now) is type(was) else updates.emptied(was))
    for name in bound & inner.variables.keys():
        lazy = isinstance(node, ast.GeneratorExp)  # whoever asks for its items may stop at any of them
        now = UNKNOWN if lazy else inner.variables[name]
        outer.variables[name] = join(outer.variables.get(name, now), now, f"{place}.{name}")
