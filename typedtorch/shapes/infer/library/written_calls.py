"""Calls whose arguments are read as they are written: ``isinstance``, ``cast``, ``reveal_type``."""

from __future__ import annotations

import ast
from collections.abc import Callable

from typedtorch.shapes.infer.annotations import reading, specs
from typedtorch.shapes.infer.annotations.assuming import assume
from typedtorch.shapes.infer.annotations.declared import more_precise
from typedtorch.shapes.infer.conditions import refine
from typedtorch.shapes.infer.containers.items import items_of
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.reports import messages
from typedtorch.shapes.infer.values.kinds import instance_of
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Instance,
    LayerV,
    Scalar,
    SpecV,
    Tensor,
    Value,
    options_of,
)


def reveal_type(frame: Frame, node: ast.Call) -> Value:
    """``reveal_type(x)`` reports what is known of x, and gives it back."""
    if len(node.args) != 1:
        return UNKNOWN
    value = frame.evaluate(node.args[0])
    if not frame.depth:
        messages.reveal(frame, node, source(node.args[0]), value)
    return value


def is_instance(frame: Frame, node: ast.Call) -> Value:
    """``isinstance(x, classes)``."""
    if len(node.args) != 2:
        return UNKNOWN
    value, given = frame.evaluate(node.args[0]), frame.evaluate(node.args[1])
    classes = items_of(given) if isinstance(given, tuple) else [given]
    if isinstance(given, SpecV) or classes is None:
        return Scalar("bool")
    verdicts: set[bool | None] = set()
    for option in options_of(value):
        each = [instance_of(option, c) for c in classes]
        verdicts.add(True if True in each else None if None in each else False)
    return verdicts.pop() if len(verdicts) == 1 and None not in verdicts else Scalar("bool")


def cast(frame: Frame, node: ast.Call) -> Value:
    """``typing.cast(T, x)``: x, as T promises it."""
    if len(node.args) != 2:
        return UNKNOWN
    spec = reading.read(node.args[0], frame.evaluate)
    value = frame.evaluate(node.args[1])
    names = frame.state.names.copy()
    promised = assume(spec, names, frame.place(node))
    made_here = isinstance(value, LayerV) or (isinstance(value, Instance) and not value.assumed)
    if promised is UNKNOWN or made_here:
        return value
    return more_precise(value, promised) if isinstance(value, Tensor) else promised


def type_variable(frame: Frame, node: ast.Call) -> Value:
    """``TypeVar("T", ...)``."""
    if node.args and isinstance(node.args[0], ast.Constant):
        bounded = len(node.args) > 1 or any(keyword.arg == "bound" for keyword in node.keywords)
        return SpecV(specs.VariableSpec(str(node.args[0].value), bounded))
    return UNKNOWN


def new_type(frame: Frame, node: ast.Call) -> Value:
    """``NewType("Name", T)``."""
    return SpecV(reading.read(node.args[1], frame.evaluate)) if len(node.args) == 2 else UNKNOWN


def assertion(frame: Frame, node: ast.Call) -> Value:
    """``torch._assert(condition, message)`` proves its condition, as ``assert`` does."""
    then, _ = refine.branch(frame, node.args[0]) if node.args else (None, None)
    if then is not None:
        frame.state = then
    return None


WRITTEN: dict[str, Callable[[Frame, ast.Call], Value]] = {
    "builtins.reveal_type": reveal_type,
    "typing.reveal_type": reveal_type,
    "builtins.isinstance": is_instance,
    "torch._assert": assertion,
    "typing.cast": cast,
    "typing.TypeVar": type_variable,
    "typing.NewType": new_type,
}
