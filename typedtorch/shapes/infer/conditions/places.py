"""Places: names, attributes and items that conditions are about, read and written."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import nullcontext

from typedtorch.shapes.infer.conditions import proven
from typedtorch.shapes.infer.conditions.solving import prove
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.kinds import could_be, instance_of, made_from
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Choice,
    ClassV,
    Instance,
    Tensor,
    Value,
    choice,
    options_of,
)
from typedtorch.shapes.size import atoms
from typedtorch.shapes.syntax import acts
from typedtorch.shapes.tensor import Pack


def keep_options(frame: Frame, place: ast.expr, keep: Callable[[Value], bool]) -> bool:
    """Narrow a variable or attribute to the options that remain."""
    value = read_place(frame, place)
    if value is UNKNOWN:
        return True
    kept = [option for option in options_of(value) if keep(option)]
    if not kept:
        return False
    if isinstance(value, Choice) and len(kept) < len(value.options):
        write_place(frame, place, choice(kept))
        if not prove(frame, proven.by_being(value, kept)):
            return False
        if isinstance(place, ast.Name) and place.id in frame.optional:
            _release(frame, place.id, kept)
    return True


def _release(frame: Frame, parameter: str, kept: list[Value]) -> None:
    """Where the tensor among a parameter's options is not what was given, its axes are not bound."""
    bound: set[str] = set()
    for option in kept:
        bound |= _binds(option)
    names = frame.state.names
    names.release(names.free | (frozenset(frame.optional[parameter]) - bound))


def _binds(option: Value) -> set[str]:
    """The axes of a tensor, or of all in a tuple; a list of tensors may be empty, and binds nothing then."""
    if isinstance(option, tuple):
        return set().union(*map(_binds, option))
    entries = option.shape if isinstance(option, Tensor) else ()
    names = ({e.name} if isinstance(e, Pack) else {a.name for a in atoms(e)} for e in entries)
    return set().union(*names)


def read_place(frame: Frame, place: ast.expr) -> Value:
    """The value of a variable or attribute chain, without side effects."""
    if isinstance(place, ast.NamedExpr):
        place = place.target
    return look(frame, place) if isinstance(place, (ast.Name, ast.Attribute)) else UNKNOWN


def look(frame: Frame, node: ast.expr, *, aloud: bool = False) -> Value:
    """What an expression has given already, or is about to give; nothing is changed by looking at it.

    Of one that gives something else each time, as ``xs.pop()``, nothing is known.  ``aloud``: what is wrong
    in it is reported, so that bodies that say more than their signatures are followed.
    """
    if type(node) is ast.Name:
        return frame.lookup(node.id)
    with nullcontext() if aloud else frame.reporter.mute():
        if not acts(node):
            return frame.evaluate(node)
        before = frame.state
        held = before.variables
        frame.state = before.copy()
        try:
            value = frame.evaluate(node)
            now = frame.state.variables
        finally:
            frame.state = before
    return UNKNOWN if any(now.get(name) is not was for name, was in held.items()) else value


def write_place(frame: Frame, place: ast.expr, value: Value) -> None:
    """Record what a variable or attribute turned out to be."""
    match place:
        case ast.NamedExpr(target=target):
            write_place(frame, target, value)
        case ast.Name(id=name):
            frame.state.variables[name] = value
        case ast.Attribute(value=base, attr=attr):
            holder = read_place(frame, base)
            # a property may say something else the next time
            if isinstance(holder, Instance) and (attr in holder.attributes or holder.info.find(attr) is None):
                frame.state.replace_value(holder, holder.with_attribute(attr, value))


def keep_kind(frame: Frame, subject: ast.expr, classes: list[Value], positive: bool) -> bool:
    """Narrow to what passes ``isinstance``, or fails it; False where nothing does."""
    value = read_place(frame, subject)
    if value is UNKNOWN:
        if positive and len(classes) == 1:
            write_place(frame, subject, made_from(frame, classes[0], frame.place(subject)))
        return True

    def keep(option: Value) -> bool:
        verdicts = [instance_of(option, c) for c in classes]
        if positive:
            return any(v is not False for v in verdicts)
        return not any(v is True for v in verdicts)

    if not keep_options(frame, subject, keep):
        return False
    value = read_place(frame, subject)
    if positive and len(classes) == 1 and any(_is_of_a_base(o, classes[0]) for o in options_of(value)):
        made = made_from(frame, classes[0], frame.place(subject))
        value = choice([made if _is_of_a_base(o, classes[0]) else o for o in options_of(value)])
        write_place(frame, subject, value)
    if positive and not all(any(could_be(o, c) for c in classes) for o in options_of(value)):
        if isinstance(value, Tensor):  # by whatever other name it is held
            frame.state.replace_value(value, UNKNOWN)
        write_place(frame, subject, UNKNOWN)  # of a class of which nothing is known
    return True


def _is_of_a_base(value: Value, kind: Value) -> bool:
    """Whether an object was promised to be of a class that the one it turns out to be of derives from."""
    if not isinstance(value, Instance) or not value.assumed or not isinstance(kind, ClassV):
        return False
    return value.info is not kind.info and any(base is value.info for base in kind.info.mro())


def shape_read(node: ast.expr) -> ast.expr | None:
    """The tensor whose shape an expression is: ``x.shape``, ``x.size()``."""
    match node:
        case ast.Attribute(value=subject, attr="shape"):
            return subject
        case ast.Call(func=ast.Attribute(value=subject, attr="size"), args=[]):
            return subject
    return None
