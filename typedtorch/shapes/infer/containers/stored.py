"""What is put into a list or a dict of which an annotation says what it holds.

``kept: list[Float[Tensor, "batch width"]] = []`` and further down ``kept.append(x.mean(0))``, which has one
axis.  Nothing looks at items where the program runs, so it is told here or not at all.  Each item may have
sizes of its own: only names that had a meaning where the list was annotated are held against it.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.assuming import Names, assume
from typedtorch.shapes.infer.annotations.unify import match
from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.classes.annotated_attributes import names_of_attributes
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.reports import messages
from typedtorch.shapes.infer.values.values import Instance, Value

_PUT = {"append": 0, "appendleft": 0, "add": 0, "insert": 1, "setdefault": 1}


def annotate(frame: Frame, name: str, spec: specs.Spec, line: int = 0) -> None:
    """Remember what the list or dict of a variable holds, and what the names of its annotation mean there.

    Not where the name is given something else further down than its ``line``, or anywhere if it is a
    parameter.  In the annotation of one that was passed, and in a script, names mean any sizes.
    """
    if not isinstance(spec, (specs.SequenceSpec, specs.DictSpec)) or not specs.shaped(spec):
        return
    module, function = frame.module, frame.function
    facts = module.facts(module.tree if function is None else function.node)
    if facts.last_store.get(name, 0) > line:
        return
    names = frame.state.names.copy()
    anew = not line or function is None
    frame.holding[name] = spec, replace(names, sizes={}, packs={}) if anew else names


def put(frame: Frame, args: Args, name: str, node: ast.AST) -> Args:
    """The arguments of a method that puts one of them into a list or dict, held against its annotation."""
    place = _PUT.get(name)
    if place is None or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return args
    if len(node.args) != len(args.values) or len(node.args) <= place:
        return args
    value = item(frame, node.func.value, args.values[place], node.args[place])
    if value is args.values[place]:
        return args
    return replace(args, values=[*args.values[:place], value, *args.values[place + 1 :]])


def item(frame: Frame, holder: ast.expr, value: Value, source: ast.expr | None) -> Value:
    """One thing that is put into what ``holder`` is; what is promised, where it contradicts that."""
    if source is None:
        return value
    found = _annotation(frame, holder)
    if found is None or not specs.shaped(found[0]):
        return value
    spec, names = found
    with frame.comparing():
        problems = match(spec, value, names.copy(), binder=messages.source(source))
    if not problems:
        return value
    if not frame.depth:
        messages.declared(frame, source, problems[0])
    return assume(spec, names, messages.source(source))


def _annotation(frame: Frame, holder: ast.expr) -> tuple[specs.Spec, Names] | None:
    """What the items of a list or dict are annotated with, and what the names in that mean."""
    match holder:
        case ast.Name(id=name):
            found = frame.holding.get(name)
        case ast.Attribute(value=base, attr=attr):
            owner = frame.evaluate(base)
            if not isinstance(owner, Instance) or owner.info.rewrites:
                return None
            spec = owner.info.spec(attr)
            found = None if spec is None else (spec, names_of_attributes(owner))
        case ast.Subscript(value=inner):
            found = _annotation(frame, inner)
        case _:
            return None
    if found is None:
        return None
    spec, names = found
    if isinstance(spec, specs.SequenceSpec):
        return spec.element, names
    return (spec.value, names) if isinstance(spec, specs.DictSpec) else None


__all__ = ["annotate", "item", "put"]
