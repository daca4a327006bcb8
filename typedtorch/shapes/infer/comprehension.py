"""Comprehensions and generator expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable

from typedtorch.shapes.infer import refine
from typedtorch.shapes.infer.assignment import assign_target
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.items import MAX_UNROLL, items_of, iterate
from typedtorch.shapes.infer.lengths import length_of
from typedtorch.shapes.infer.values import (
    UNKNOWN,
    DictV,
    Sequence,
    Value,
    join_all,
)
from typedtorch.shapes.size import Size


def list_comprehension(frame: Frame, node: ast.ListComp) -> Value:
    """``[x for ...]``."""
    made = _comprehend(frame, node.generators, lambda: frame.evaluate(node.elt))
    return Sequence("list", *made)


def generator_expression(frame: Frame, node: ast.GeneratorExp) -> Value:
    """``(x for ...)``."""
    made = _comprehend(frame, node.generators, lambda: frame.evaluate(node.elt))
    return Sequence("iterator", *made)


def set_comprehension(frame: Frame, node: ast.SetComp) -> Value:
    """``{x for ...}``."""
    _, element, _ = _comprehend(frame, node.generators, lambda: frame.evaluate(node.elt))
    return Sequence("set", None, element)


def dict_comprehension(frame: Frame, node: ast.DictComp) -> Value:
    """``{k: v for ...}``."""
    pairs, pair, _ = _comprehend(
        frame,
        node.generators,
        lambda: (frame.evaluate(node.key), frame.evaluate(node.value)),
    )
    if pairs is not None and all(isinstance(p[0], (str, int)) for p in pairs):
        return DictV(dict(pairs))
    return DictV({}, pair[1] if isinstance(pair, tuple) else UNKNOWN)


def _comprehend(
    frame: Frame, generators: list[ast.comprehension], element: Callable[[], Value]
) -> tuple[tuple[Value, ...] | None, Value, Size | None]:
    """The items where their number is known; else None, a value that stands for each, and how many."""
    outer = frame.state
    frame.state = outer.copy()
    place = frame.place(generators[0].target)
    try:
        if len(generators) == 1:
            return _comprehend_one(frame, generators[0], element, place)
        results: list[Value] = []

        def inner() -> Value:
            items, value, _ = _comprehend(frame, generators[1:], element)
            results.append(value if items is None else join_all(items, place) if items else UNKNOWN)
            return UNKNOWN

        _comprehend_one(frame, generators[0], inner, place)
        return None, join_all(results, place) if results else UNKNOWN, None
    finally:
        outer.ties.met = frame.state.ties.met  # two axes of one tensor are two, whenever it was
        frame.state = outer


def _comprehend_one(
    frame: Frame, generator: ast.comprehension, element: Callable[[], Value], place: str
) -> tuple[tuple[Value, ...] | None, Value, Size | None]:
    iterable = frame.evaluate(generator.iter)
    items = items_of(iterable) or (
        None if not isinstance(iterable, (tuple, Sequence)) else items_of(iterable)
    )
    if items is not None and len(items) <= MAX_UNROLL and not generator.ifs:
        values = []
        for value in items:
            assign_target(frame, generator.target, value)
            values.append(element())
        return tuple(values), UNKNOWN, None
    assign_target(frame, generator.target, iterate(iterable, place))
    for test in generator.ifs:
        then, _ = refine.branch(frame, test)
        if then is None:
            return (), UNKNOWN, None
        frame.state = then
    return None, element(), None if generator.ifs else length_of(iterable)
