"""What a local annotation promises of the value that it stands beside."""

from __future__ import annotations

import ast
from dataclasses import replace

from typedtorch.shapes import dtypes
from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.assuming import Names, assume
from typedtorch.shapes.infer.annotations.unify import match
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.reports import messages
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Choice,
    DictV,
    Instance,
    Tensor,
    Value,
    choice,
    join,
    of_others,
    options_of,
)
from typedtorch.shapes.infer.values.values import Sequence as SequenceV
from typedtorch.shapes.rule import Fields
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import ANY_AXES, Pack, Shape, better, has_open_run, pack_index


def check_declared(frame: Frame, spec: specs.Spec, value: Value, source: ast.expr) -> Value:
    """A local annotation: names that are bound are checked, new ones are bound."""
    if isinstance(spec, specs.Anything):
        return value
    if value is UNKNOWN and isinstance(spec, specs.ArraySpec):
        value = _cast(source)
    names = frame.state.names
    names.tie = frame.state.ties.allow
    with frame.comparing():
        problems, names.tie = match(spec, value, names, binder=messages.source(source)), None
    if problems and _is_said_anew(frame, spec, value):
        problems = []
    if problems:
        messages.declared(frame, source, problems[0])
    promised = _existential(spec, names, frame.place(source), messages.source(source))
    if problems:
        return join(value, promised, frame.place(source))  # whichever is right
    found = more_precise(value, promised)
    if not frame.depth:
        frame.reporter.declared(source, found)
    return found


def _is_said_anew(frame: Frame, spec: specs.Spec, value: Value) -> bool:
    """Whether names mean other sizes from here on: a script has ``n d`` of some points, and of others."""
    if frame.function is not None:
        return False
    anew = Names(frame.state.names.default)
    if match(spec, value, anew):
        return False
    frame.state.names.sizes = {**frame.state.names.sizes, **anew.sizes}
    frame.state.names.packs = {**frame.state.names.packs, **anew.packs}
    return True


_CASTS = {
    "float": dtypes.FLOAT32, "double": dtypes.FLOAT64, "half": dtypes.FLOAT16, "long": dtypes.INT64,
    "int": dtypes.BIT["int32"], "bool": dtypes.BOOL, "bfloat16": dtypes.BIT["bfloat16"],
}  # fmt: skip


def _cast(node: ast.expr) -> Value:
    """``something.float()`` where an annotation says that it is a tensor: its dtype at least."""
    match node:
        case ast.Call(func=ast.Attribute(attr=attr), args=[], keywords=[]) if attr in _CASTS:
            return Tensor((ANY_AXES,), _CASTS[attr])
    return UNKNOWN


def _existential(spec: specs.Spec, names: Names, place: str, hint: str) -> Value:
    """What a local annotation promises: a name it is the first to mention is some size, not every size."""
    default, generic, where = names.default, names.generic, names.where
    names.default, names.generic = (lambda name: unknown(f"?{place}.{name}")), False
    names.where = f"{place}."
    # a run of axes of which the value says nothing has its name from here on
    mentioned = specs.axis_names(spec)
    names.packs = {k: v for k, v in names.packs.items() if v != (ANY_AXES,) or k not in mentioned}
    try:
        return assume(spec, names, hint)
    finally:
        names.default, names.generic, names.where = default, generic, where


def more_precise(value: Value, promised: Value) -> Value:
    """What is known from both a value and its annotation."""
    if value is UNKNOWN:
        return promised
    if isinstance(value, Tensor) and isinstance(promised, Tensor):
        dtype = value.dtype & promised.dtype or value.dtype
        return replace(value, layout=None, shape=_meet(value.shape, promised.shape), dtype=dtype)
    if isinstance(value, tuple) and isinstance(promised, tuple) and len(value) == len(promised):
        if type(value) in (tuple, Fields):
            return tuple(more_precise(v, p) for v, p in zip(value, promised, strict=True))
        return value
    if isinstance(value, SequenceV) and isinstance(promised, SequenceV) and value.items is None:
        return replace(value, element=more_precise(value.element, promised.element), grown=None)
    if isinstance(value, SequenceV) and isinstance(promised, SequenceV) and value.items == ():
        return replace(value, element=promised.element)
    if isinstance(value, DictV) and isinstance(promised, DictV) and value.rest is not None:
        return replace(value, rest=of_others(more_precise(value.rest, promised.rest)))
    if isinstance(value, (Tensor, Choice)) and isinstance(promised, (Tensor, Choice)):
        return _more_precise_options(value, promised)
    return value


def more_precise_object(seen: Value, made: Value) -> Value:
    """An object that a call makes, as its body shows it with the call's values and as it does in general."""
    if not (isinstance(seen, Instance) and isinstance(made, Instance)) or seen.info is not made.info:
        return made  # a TypedDict is no instance
    both = {k: more_precise(seen.attributes.get(k, UNKNOWN), v) for k, v in made.attributes.items()}
    return replace(seen, attributes={**seen.attributes, **both})


def _more_precise_options(value: Tensor | Choice, promised: Tensor | Choice) -> Value:
    """``Tensor | None`` against a promise with one kind of tensor in it."""
    tensors = [p for p in options_of(promised) if isinstance(p, Tensor)]
    if len(tensors) != 1:
        return value
    return choice([more_precise(v, tensors[0]) if isinstance(v, Tensor) else v for v in options_of(value)])


def _meet(value: Shape, promised: Shape) -> Shape:
    if pack_index(value) is not None and pack_index(promised) is None:
        return promised
    if has_open_run(value) and _says(promised) > _says(value):
        return promised
    if len(value) == len(promised):
        return tuple(
            x if isinstance(x, Pack) or isinstance(y, Pack) else better(x, y)
            for x, y in zip(value, promised, strict=True)
        )
    return value


def _says(shape: Shape) -> tuple[bool, bool, int]:
    """How much a shape with runs of axes says: that all have names, that they are a signature's, its axes."""
    runs = [entry for entry in shape if isinstance(entry, Pack)]
    named, certain = not any(r.anonymous for r in runs), not has_open_run(shape)
    return named, certain, len(shape) - len(runs)
