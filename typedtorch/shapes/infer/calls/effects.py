"""What a call does to the objects and containers it is given, where its result is taken from annotations.

``def reset(model: Net) -> None`` promises nothing of the model: its body says what it assigns.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.assuming import Names
from typedtorch.shapes.infer.calls.brought import as_annotated, brings_more
from typedtorch.shapes.infer.calls.inlining import MAX_DEPTH, may_be_another
from typedtorch.shapes.infer.calls.signatures import Signature, is_plain_instance
from typedtorch.shapes.infer.classes import updates
from typedtorch.shapes.infer.containers import mutation
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.program.index import Facts
from typedtorch.shapes.infer.values.values import (
    NEVER,
    UNKNOWN,
    DictV,
    FunctionV,
    Instance,
    LayerV,
    Sequence,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from typedtorch.shapes.infer.interpreter import Interpreter

Given = Mapping[str, tuple[Value, ast.expr | None]]


def follow(
    frame: Frame,
    function: FunctionV,
    signature: Signature,
    bound: Given,
    names: Names,
    node: ast.AST,
    *,
    failed: bool,
) -> bool:
    """Look into a body that was not evaluated, for what it changes: whether it returns.

    One that promises None is held against what it is given, too, as others are that promise nothing.
    """
    result = signature.result
    promised = specs.informative(result) and (signature.shaped or not is_plain_instance(result))
    gives_nothing = isinstance(result, specs.NoneSpec)
    if not (promised or gives_nothing):
        return True
    receiver = function.bound if isinstance(function.bound, Instance) else None
    inside = updates.changing_inside(receiver) if receiver is not None else []
    if receiver is not None and not (gives_nothing or inside or updates.may_change(receiver, function.name)):
        receiver = None
    if may_be_another(frame.interpreter, frame, function):
        mutation.forget_contents(frame, [value for value, _ in bound.values()])
    facts = function.module.facts(function.node)
    given = {
        name: value
        for name, (value, _) in bound.items()
        if _may_change(facts, name, value) or _is_followed(value)
    }
    held = gives_nothing and not failed
    held = held and (not signature.shaped or brings_more(frame, function, signature, bound, names))
    if not given and receiver is None and not held:
        return True
    interpreter = frame.interpreter
    most = MAX_DEPTH if gives_nothing and (held or receiver is not None) else _DEPTH
    again = bool(frame.reporter.muted) and not gives_nothing  # perhaps a second look at one expression
    if _can_run(interpreter, frame, function, most) and not ((failed or again) and receiver is not None):
        values = {name: _now(frame, value, where) for name, (value, where) in bound.items()}
        if held:
            values.update(as_annotated(signature, values, names))
        with nullcontext() if held else frame.reporter.mute():
            if receiver is not None:
                frame.state.variables[_RECEIVER] = receiver
            made = interpreter.run_inline(frame, function, signature, values, node)
        _drop_unknown(frame, frame.state.variables.pop(_RECEIVER, None))
        return made is not NEVER
    if receiver is not None:
        left = updates.after(receiver, function.name)
        if left is not receiver:
            frame.state.replace_value(receiver, left)
    for name, value in given.items():
        inside += updates.changing_inside(value)
        frame.state.replace_value(value, _forgotten(facts, name, updates.as_later(value)))
    for part in inside:
        frame.state.replace_value(part, updates.as_later(part))
    return True


def _is_followed(value: Value) -> bool:
    """Whether more is known of an object, or of one inside it, than is certain at any later time."""
    return isinstance(value, Instance) and bool(updates.changing_inside((value,)))


_RECEIVER = "<whose method runs>"


def _drop_unknown(frame: Frame, receiver: Value) -> None:
    """What a method made unknown is what the class says of it, if it says anything."""
    if isinstance(receiver, Instance) and any(value is UNKNOWN for value in receiver.attributes.values()):
        kept = {name: value for name, value in receiver.attributes.items() if value is not UNKNOWN}
        frame.state.replace_value(receiver, replace(receiver, attributes=kept, partial=True))


def _now(frame: Frame, value: Value, where: ast.expr | None) -> Value:
    """What an argument's name holds by now: the object itself, where the call has said more of its sizes."""
    current = frame.state.variables.get(where.id) if isinstance(where, ast.Name) else None
    return current if type(current) is type(value) and isinstance(current, (Instance, LayerV)) else value


_DEPTH = 3  # of calls inside calls that are followed for what they do to their arguments


def _can_run(interpreter: Interpreter, frame: Frame, function: FunctionV, most: int) -> bool:
    """Whether a body would be evaluated, and is what is called."""
    known = frame.depth < most and id(function.node) not in interpreter.stack and interpreter.steps > 0
    return known and not may_be_another(interpreter, frame, function)


def _may_change(facts: Facts, name: str, value: Value) -> bool:
    """Whether a body changes what a parameter holds, or passes it on to something that may."""
    if isinstance(value, Tensor):
        return facts.reshapes and (name in facts.passed or (name, "data") in facts.stored)
    if not isinstance(value, (Instance, LayerV, Sequence, DictV)):
        return False
    changed = facts.passed | facts.changed_names
    return name in changed or any(n == name for n, _ in facts.stored | facts.within)


def _forgotten(facts: Facts, name: str, value: Value) -> Value:
    """What is left of an object or a container whose changes cannot be followed."""
    if isinstance(value, (LayerV, Tensor)):
        return UNKNOWN
    if not isinstance(value, Instance):
        return updates.emptied(value)
    stored = {attribute: UNKNOWN for n, attribute in facts.stored | facts.within if n == name}
    changed = {
        attribute: updates.emptied(held)
        for attribute in facts.changed_attributes
        if isinstance(held := value.attributes.get(attribute), (Sequence, DictV))
    }
    return replace(value, attributes={**value.attributes, **changed, **stored}, altered=True)
