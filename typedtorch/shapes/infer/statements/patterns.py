"""Patterns of ``match``: what a case proves of its subject, and the names it binds."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from typedtorch.shapes.infer.conditions import asking, proven, refine, solving
from typedtorch.shapes.infer.containers import enumerations
from typedtorch.shapes.infer.containers.items import items_of
from typedtorch.shapes.infer.expressions import comparing
from typedtorch.shapes.infer.expressions.expressions import evaluate
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.kinds import instance_of
from typedtorch.shapes.infer.values.state import State
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Choice,
    DictV,
    External,
    Instance,
    Scalar,
    Value,
    is_size,
    options_of,
)
from typedtorch.shapes.infer.values.values import Sequence as SequenceV
from typedtorch.shapes.size import Atom, Poly

NEVER = object()


def cases_of(frame: Frame, node: ast.Match) -> list[tuple[State | None, Sequence[ast.stmt]]]:
    """The cases of a ``match`` that can be entered, each with what is known on the way into it."""
    branches: list[tuple[State | None, Sequence[ast.stmt]]] = []
    total = False
    rest = whole = evaluate(frame, node.subject)
    about = refine.sizes_of(frame, asking.compared(frame, node.subject))
    for case in node.cases:
        state = frame.state.copy()
        saved, frame.state = frame.state, state
        value, rest_after = match_pattern(frame, case.pattern, rest)
        if value is not NEVER:
            asks = [*_asked(case.pattern, value), *([about] if about else ())]
            state.asked = (*state.asked, *((sizes, True) for sizes in asks))
            saved.asked = (*saved.asked, *((sizes, False) for sizes in asks))
            if isinstance(node.subject, ast.Name) and value is not UNKNOWN:
                frame.state.variables[node.subject.id] = value
            bind_pattern(frame, case.pattern, value)
            if rest_after is not NEVER and isinstance(case.pattern, (ast.MatchValue, ast.MatchOr)):
                frame.state.settings = (*frame.state.settings, (case.pattern, True))
            prove_pattern(frame, case.pattern, value)
            if isinstance(whole, Choice):
                solving.prove(frame, proven.by_being(whole, options_of(value)))
            entered: State | None = frame.state
            if case.guard is not None:
                before = len(frame.state.asked)
                entered, refused = refine.branch(frame, case.guard)
                rest = rest if refused is not None else rest_after
                saved.asked = (*saved.asked, *(refused.asked[before:] if refused is not None else ()))
            else:
                rest = rest_after
            branches.append((entered, case.body))
            total = total or (case.guard is None and irrefutable(case.pattern))
        frame.state = saved
    if not total and rest is not NEVER:
        branches.append((frame.state, []))
    return branches


def _asked(pattern: ast.pattern, value: Value) -> list[frozenset[Atom]]:
    """The sizes that a pattern asks about: ``case 0`` of ``(t > n) - (t < n)``."""
    match pattern:
        case ast.MatchValue() | ast.MatchSingleton() if isinstance(value, (Scalar, Poly)):
            return [sizes] if len(sizes := proven.asked_by(value)) > 1 else []
        case ast.MatchAs(pattern=inner) if inner is not None:
            return _asked(inner, value)
        case ast.MatchOr(patterns=patterns):
            return [sizes for part in patterns for sizes in _asked(part, value)]
        case ast.MatchSequence(patterns=patterns):
            items = items_of(value) if isinstance(value, (tuple, SequenceV)) else None
            parts = None if items is None else _laid_out(patterns, items)
            each = zip(patterns, parts or (), strict=False)
            return [sizes for part, item in each for sizes in _asked(part, item)]
    return []


def prove_pattern(frame: Frame, pattern: ast.pattern, value: Value) -> None:
    """``match x.shape[0]: case 1:`` says what a size is."""
    match pattern:
        case ast.MatchValue(value=ast.Constant(value=int(number))) if is_size(value):
            solving.equate(frame, value, number)
        case ast.MatchSingleton(value=bool(outcome)) if isinstance(value, Scalar) and value.proves:
            solving.prove(frame, value.proves[0 if outcome else 1])
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
        case ast.MatchOr(patterns=patterns):
            return _match_any(frame, patterns, value)
        case ast.MatchClass(cls=cls, patterns=parts, kwd_attrs=names, kwd_patterns=named):
            kind = evaluate(frame, cls)
            found, rest = _split(value, lambda v: instance_of(v, kind))
            if found is NEVER or not (parts or named):
                return found, rest
            if len(parts) == 1 and not named and kind in _WHOLE:  # ``case int(n)``
                return match_pattern(frame, parts[0], found)
            held = [*(UNKNOWN for _ in parts), *(_attribute(found, name) for name in names)]
            verdict = _match_each(frame, [*parts, *named], held)
            return (NEVER if verdict is False else found), (rest if verdict else value)
        case ast.MatchValue(value=constant):
            wanted = evaluate(frame, constant)
            return _split(value, lambda v: comparing.compare_values(ast.Eq(), v, wanted))
        case ast.MatchSingleton(value=constant):
            return _split(value, lambda v: comparing.compare_values(ast.Is(), v, constant))
        case ast.MatchSequence(patterns=patterns):
            return _match_items(frame, patterns, value)
        case ast.MatchMapping(keys=keys, patterns=patterns):
            return _whole(value, _match_keys(frame, keys, patterns, value))
        case ast.MatchStar():
            return value, NEVER
    return value, value


def _whole(value: Value, verdict: bool | None) -> tuple[Value, Value]:
    """A subject that matches, does not, or may."""
    return (NEVER if verdict is False else value), (NEVER if verdict else value)


_BUILTINS = ("bool", "bytes", "dict", "float", "int", "list", "str")
_WHOLE = tuple(External(f"builtins.{name}") for name in _BUILTINS)  # their one pattern is for themselves


def _match_any(frame: Frame, patterns: Sequence[ast.pattern], value: Value) -> tuple[Value, Value]:
    """``case 0 | 1``: one of them matches, or none does."""
    found: list[Value] = []
    rest = value
    for pattern in patterns:
        if rest is NEVER:
            break
        one, rest = match_pattern(frame, pattern, rest)
        if one is not NEVER:
            found += [option for option in options_of(one) if all(option is not f for f in found)]
    return (value if value is UNKNOWN and found else _one_of(found)), rest


def _match_each(frame: Frame, patterns: Sequence[ast.pattern], values: Sequence[Value]) -> bool | None:
    """Whether each of some values matches its pattern."""
    matches = [match_pattern(frame, *pair) for pair in zip(patterns, values, strict=True)]
    if any(found is NEVER for found, _ in matches):
        return False
    return True if all(rest is NEVER for _, rest in matches) else None


def _attribute(value: Value, name: str) -> Value:
    return value.attributes.get(name, UNKNOWN) if isinstance(value, Instance) else UNKNOWN


def _match_keys(
    frame: Frame, keys: Sequence[ast.expr], patterns: Sequence[ast.pattern], value: Value
) -> bool | None:
    """``case {"a": a}``: whether it is a dict that has such keys."""
    if not isinstance(value, DictV):
        return False if _is_plain(value) or isinstance(value, (tuple, SequenceV)) else None
    wanted = [evaluate(frame, key) for key in keys]
    there = all(enumerations.is_key(key) and key in value.items for key in wanted)
    if not there and value.rest is None and all(isinstance(key, (str, int)) for key in wanted):
        return False
    verdict = _match_each(frame, patterns, [value.get(key) for key in wanted])
    return verdict if there or verdict is False else None


def _is_plain(value: Value) -> bool:
    return value is None or is_size(value) or isinstance(value, (bool, float, str, Scalar))


def _match_items(frame: Frame, patterns: Sequence[ast.pattern], value: Value) -> tuple[Value, Value]:
    """``case (n, d)`` and ``case (n, *rest)``: that many items, each of which matches."""
    items = items_of(value) if isinstance(value, (tuple, SequenceV)) else None
    if items is None:
        return _whole(value, False if _is_plain(value) or isinstance(value, DictV) else None)
    parts = _laid_out(patterns, items)
    return _whole(value, False if parts is None else _match_each(frame, patterns, parts))


def _laid_out(patterns: Sequence[ast.pattern], items: list[Value]) -> list[Value] | None:
    """The item, or the list of items, that each pattern gets; None where there are too few or too many."""
    star = next((i for i, pattern in enumerate(patterns) if isinstance(pattern, ast.MatchStar)), None)
    if star is None:
        return items if len(items) == len(patterns) else None
    behind = len(patterns) - star - 1
    if len(items) < star + behind:
        return None
    end = len(items) - behind
    return [*items[:star], SequenceV("list", tuple(items[star:end])), *items[end:]]


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
            parts = None if items is None else _laid_out(patterns, items)
            for i, part in enumerate(patterns):
                bind_pattern(frame, part, UNKNOWN if parts is None else parts[i])
        case ast.MatchStar(name=str(name)):
            frame.state.variables[name] = value
        case ast.MatchOr(patterns=patterns):
            for part in patterns:
                bind_pattern(frame, part, UNKNOWN)
        case ast.MatchClass(cls=cls, patterns=patterns, kwd_attrs=names, kwd_patterns=named):
            whole = len(patterns) == 1 and not named and evaluate(frame, cls) in _WHOLE
            for part in patterns:
                bind_pattern(frame, part, value if whole else UNKNOWN)
            for name, part in zip(names, named, strict=True):
                bind_pattern(frame, part, _attribute(value, name))
        case ast.MatchMapping(keys=keys, patterns=patterns, rest=rest):
            for key, part in zip(keys, patterns, strict=True):
                held = value.get(evaluate(frame, key)) if isinstance(value, DictV) else UNKNOWN
                bind_pattern(frame, part, held)
            if rest is not None:
                frame.state.variables[rest] = UNKNOWN
