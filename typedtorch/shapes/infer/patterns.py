"""Patterns of ``match``: what a case proves of its subject, and the names it binds."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from typedtorch.shapes.infer import comparing, equated, refine
from typedtorch.shapes.infer.expressions import evaluate
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.items import items_of
from typedtorch.shapes.infer.kinds import instance_of
from typedtorch.shapes.infer.state import State
from typedtorch.shapes.infer.values import (
    UNKNOWN,
    Choice,
    Instance,
    Value,
    is_size,
)
from typedtorch.shapes.tensor import Pack

NEVER = object()


def cases_of(frame: Frame, node: ast.Match) -> list[tuple[State | None, Sequence[ast.stmt]]]:
    """The cases of a ``match`` that can be entered, each with what is known on the way into it."""
    branches: list[tuple[State | None, Sequence[ast.stmt]]] = []
    total = False
    rest = evaluate(frame, node.subject)
    for case in node.cases:
        state = frame.state.copy()
        saved, frame.state = frame.state, state
        value, rest_after = match_pattern(frame, case.pattern, rest)
        if value is not NEVER:
            if isinstance(node.subject, ast.Name) and value is not UNKNOWN:
                frame.state.variables[node.subject.id] = value
            bind_pattern(frame, case.pattern, value)
            prove_pattern(frame, case.pattern, value)
            entered: State | None = frame.state
            if case.guard is not None:
                entered = refine.branch(frame, case.guard)[0]
            else:
                rest = rest_after
            branches.append((entered, case.body))
            total = total or (case.guard is None and irrefutable(case.pattern))
        frame.state = saved
    if not total and rest is not NEVER:
        branches.append((frame.state, []))
    return branches


def prove_pattern(frame: Frame, pattern: ast.pattern, value: Value) -> None:
    """``match x.shape[0]: case 1:`` says what a size is."""
    match pattern:
        case ast.MatchValue(value=ast.Constant(value=int(number))) if is_size(value):
            equated.equate(frame, value, number)
        case ast.MatchSequence(patterns=patterns) if isinstance(value, tuple):
            if len(patterns) == len(value) and not any(isinstance(p, ast.MatchStar) for p in patterns):
                for part, item in zip(patterns, value, strict=True):
                    prove_pattern(frame, part, item)
        case ast.MatchAs(pattern=inner) if inner is not None:
            prove_pattern(frame, inner, value)


def irrefutable(pattern: ast.pattern) -> bool:
    """Whether a pattern matches everything."""
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def match_pattern(frame: Frame, pattern: ast.pattern, value: Value) -> tuple[Value, Value]:
    """What the subject is if the pattern matches, and what it is for the cases below."""
    match pattern:
        case ast.MatchAs(pattern=None):
            return value, NEVER
        case ast.MatchAs(pattern=inner) if inner is not None:
            return match_pattern(frame, inner, value)
        case ast.MatchClass(cls=cls, patterns=[], kwd_patterns=[]):
            kind = evaluate(frame, cls)
            return _split(value, lambda v: instance_of(v, kind))
        case ast.MatchClass(cls=cls):
            kind = evaluate(frame, cls)
            return _split(value, lambda v: instance_of(v, kind))[0], value
        case ast.MatchValue(value=constant):
            wanted = evaluate(frame, constant)
            return _split(value, lambda v: comparing.compare_values(ast.Eq(), v, wanted))
        case ast.MatchSingleton(value=constant):
            return _split(value, lambda v: comparing.compare_values(ast.Is(), v, constant))
        case ast.MatchSequence(patterns=patterns) if isinstance(value, tuple):
            return _match_items(patterns, value)
    return value, value


def _match_items(patterns: Sequence[ast.pattern], value: tuple[Value, ...]) -> tuple[Value, Value]:
    """``case (n, d)`` and ``case (n, *rest)``: that many items, whatever they are."""
    if any(isinstance(v, Pack) for v in value):
        return value, value
    star = any(isinstance(p, ast.MatchStar) for p in patterns)
    fits = len(patterns) - 1 <= len(value) if star else len(patterns) == len(value)
    if not fits:
        return NEVER, value
    return value, NEVER if all(isinstance(p, ast.MatchStar) or irrefutable(p) for p in patterns) else value


def _split(value: Value, test: Callable[[Value], bool | None]) -> tuple[Value, Value]:
    if value is UNKNOWN:
        return UNKNOWN, UNKNOWN
    options = value.options if isinstance(value, Choice) else (value,)
    yes = [v for v in options if test(v) is not False]
    no = [v for v in options if test(v) is not True]
    return _one_of(yes), _one_of(no)


def _one_of(options: list[Value]) -> Value:
    if not options:
        return NEVER
    return options[0] if len(options) == 1 else Choice(tuple(options))


def bind_pattern(frame: Frame, pattern: ast.pattern, value: Value) -> None:
    """Bind the names in a pattern that matched."""
    match pattern:
        case ast.MatchAs(pattern=inner, name=name):
            if name is not None:
                frame.state.variables[name] = value
            if inner is not None:
                bind_pattern(frame, inner, value)
        case ast.MatchSequence(patterns=patterns):
            items = items_of(value)
            plain = items is not None and len(items) == len(patterns)
            for i, part in enumerate(patterns):
                bind_pattern(frame, part, items[i] if plain and items is not None else UNKNOWN)
        case ast.MatchStar(name=str(name)):
            frame.state.variables[name] = UNKNOWN
        case ast.MatchOr(patterns=patterns):
            for part in patterns:
                bind_pattern(frame, part, UNKNOWN)
        case ast.MatchClass(patterns=patterns, kwd_attrs=keywords, kwd_patterns=inner_patterns):
            for part in patterns:
                bind_pattern(frame, part, UNKNOWN)
            for keyword, part in zip(keywords, inner_patterns, strict=True):
                held = value.attributes.get(keyword, UNKNOWN) if isinstance(value, Instance) else UNKNOWN
                bind_pattern(frame, part, held)
        case ast.MatchMapping(patterns=patterns, rest=rest):
            for part in patterns:
                bind_pattern(frame, part, UNKNOWN)
            if rest is not None:
                frame.state.variables[rest] = UNKNOWN
