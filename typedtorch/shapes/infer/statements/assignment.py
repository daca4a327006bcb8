"""Assignment: to names, attributes, items and tuples of them, plain, augmented or annotated."""

from __future__ import annotations

import ast
from dataclasses import replace

from typedtorch.shapes.infer.annotations import reading, specs
from typedtorch.shapes.infer.annotations.declared import check_declared
from typedtorch.shapes.infer.calls import calls
from typedtorch.shapes.infer.calls.arguments import beside
from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.calls.inner_changes import handed_over
from typedtorch.shapes.infer.calls.late import kept
from typedtorch.shapes.infer.classes import registries, updates
from typedtorch.shapes.infer.containers import enumerations, mutation, stored
from typedtorch.shapes.infer.containers.items import with_item, without_attributes
from typedtorch.shapes.infer.expressions.arithmetic import operate
from typedtorch.shapes.infer.expressions.local_numbers import kept_as
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.layers import registering, surgery
from typedtorch.shapes.infer.statements.unpacking import unpacked
from typedtorch.shapes.infer.values.contents import OF_ATTRIBUTES
from typedtorch.shapes.infer.values.objects import resizes, without
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Choice,
    DictV,
    FunctionV,
    Instance,
    LayerV,
    Tensor,
    Value,
    equal,
    join,
    of_others,
)
from typedtorch.shapes.infer.values.values import Sequence as SequenceV
from typedtorch.shapes.syntax import dotted, walk


def assign(frame: Frame, node: ast.Assign) -> bool:
    """``a = b = value``; what follows is reached."""
    value = frame.evaluate(node.value)
    value = kept(frame, value, node.lineno)
    if isinstance(value, SequenceV) and value.kind == "iterator" and dotted(node.value) is not None:
        value = frame.evaluate(node.value)  # under two names: what is left may be read under either
    at_once = all(isinstance(target, (ast.Tuple, ast.List)) for target in node.targets)
    if isinstance(node.value, ast.GeneratorExp) and not at_once and _outlived(frame, node.value):
        value = SequenceV("iterator", None, UNKNOWN)
    for target in node.targets:
        assign_target(frame, target, _with_registered(frame, target, value), node.value)
    return True


def _with_registered(frame: Frame, target: ast.expr, value: Value) -> Value:
    """A table at the top level, with what decorators further down put there."""
    if not isinstance(value, (DictV, Instance)) or frame.depth or frame.function or frame.owner:
        return value
    filled = registries.filled(target.id, frame.module, value) if isinstance(target, ast.Name) else None
    return value if filled is None else filled


def _outlived(frame: Frame, node: ast.GeneratorExp) -> bool:
    """Whether what a generator reads when it is asked for an item may be another thing by then."""
    if frame.function is None:
        return False
    own = {n.id for g in node.generators for n in walk(g.target) if isinstance(n, ast.Name)}
    read = {n.id for n in walk(node.elt) if isinstance(n, ast.Name)} - own
    return not read.isdisjoint(frame.module.facts(frame.function.node).after(node.lineno))


def assign_target(frame: Frame, target: ast.expr, value: Value, source: ast.expr | None = None) -> None:
    """Bind a target: a name, an attribute, an item, or a tuple of targets."""
    match target:
        case ast.Name(id=name):
            if name in frame.declared and source is not None:
                value = check_declared(frame, frame.declared[name], value, source)
            if source is not None:
                value = kept_as(frame, name, value, source)
            frame.state.variables[name] = UNKNOWN if name in frame.rebound else value
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            for element, part, written in unpacked(frame, elts, value, target, source):
                assign_target(frame, element, part, written)
        case ast.Starred(value=inner):
            assign_target(frame, inner, value, source)
        case ast.Attribute(value=base, attr=attr):
            _assign_attribute(frame, base, attr, value, source)
        case ast.Subscript():
            _assign_item(frame, target, value, source)


def _assign_attribute(frame: Frame, base: ast.expr, attr: str, value: Value, source: ast.expr | None) -> None:
    holder = frame.evaluate(base)
    if isinstance(holder, Instance) and attr in ("__class__", "__dict__"):
        frame.state.replace_value(holder, UNKNOWN)
    elif isinstance(holder, Instance) and (setter := frame.interpreter.setter(holder, attr)) is not None:
        frame.call(setter, Args([value], [source]), base)
    elif isinstance(holder, Instance) and _is_descriptor(holder, attr):
        frame.state.replace_value(holder, without_attributes(holder))
    elif isinstance(holder, Instance):
        spec = holder.info.spec(attr)
        if spec is not None and source is not None and specs.shaped(spec):
            value = frame.interpreter.check_attribute(frame, holder, spec, value, source)
        had = holder.attributes.get(attr)
        made = registering.with_attribute(holder, attr, without(value, holder))
        if isinstance(had, Tensor) and not equal(had, value):
            made = replace(made, axes={})  # those of what the constructor was given
        frame.state.replace_value(holder, made)
        if resizes(had, value) or (isinstance(had, _MODULES) and isinstance(value, _MODULES)):
            _outgrow(frame, base, made)
    elif isinstance(holder, LayerV) and (attr == "forward" or _alters(holder, attr, value, source)):
        frame.state.replace_value(holder, UNKNOWN)
    elif isinstance(holder, DictV) and holder.kind in OF_ATTRIBUTES:
        items = {**holder.items, attr: value}
        kept = holder.kind != "read attributes"  # else the attribute is one thing, and the item another
        frame.state.replace_value(holder, replace(holder, items=items) if kept else UNKNOWN)
    elif isinstance(holder, Choice):
        objects = [option for option in holder.options if isinstance(option, Instance)]
        for each in objects:  # which of them it is, is not known
            made = registering.with_attribute(each, attr, value if len(objects) == 1 else UNKNOWN)
            frame.state.replace_value(each, made)
    elif isinstance(holder, SequenceV) and holder.kind == "sequential":
        frame.state.replace_value(holder, registering.with_module(holder, UNKNOWN))
    elif attr == "data" and (holder is UNKNOWN or isinstance(holder, Tensor)):
        _other_data(frame, holder, value)
    elif isinstance(holder, Tensor) and holder.library == "numpy" and attr in ("dtype", "shape"):
        frame.state.replace_value(holder, UNKNOWN)  # the same bytes, read as something else
    elif holder is UNKNOWN:
        handed_over(frame, [value])


def _is_descriptor(holder: Instance, attr: str) -> bool:
    """Whether an object of the class's body says what an assignment does, by its ``__set__``."""
    for info in holder.info.mro():
        if isinstance(made := info.assigned.get(attr), ast.Call):
            made_by = info.evaluate(made)
            return isinstance(made_by, Instance) and made_by.info.find("__set__") is not None
    return False


def _other_data(frame: Frame, tensor: Value, data: Value) -> None:
    """``tensor.data = data``, which may be the parameter of a layer."""
    if not isinstance(tensor, Tensor) or tensor.rank is None:
        if isinstance(data, Tensor):
            registering.without_layers_unlike(frame, data)
    elif not isinstance(data, Tensor) or data.shape != tensor.shape:
        registering.without_layers_of(frame, tensor)
    if isinstance(tensor, Tensor):
        frame.state.replace_value(tensor, data)


def _alters(layer: LayerV, attr: str, value: Value, source: ast.expr | None) -> bool:
    return registering.alters(layer, attr, value, tied=isinstance(source, ast.Attribute))


_MODULES = (LayerV, Instance, SequenceV)


def _outgrow(frame: Frame, base: ast.expr, holder: Value) -> None:
    """``net.stem = nn.Linear(5, 8)``: what the constructor was given no longer says what the net takes."""
    root = base
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    function = frame.function
    name = root.id if isinstance(root, ast.Name) else ""
    if name and function is not None and function.is_bound and _is_own(function, name):
        return  # a constructor that is still at work
    for grown in (frame.state.variables.get(name), holder):
        if isinstance(grown, Instance):
            frame.state.replace_value(grown, replace(grown, arguments={}, altered=True))


def _is_own(function: FunctionV, name: str) -> bool:
    arguments = [*function.node.args.posonlyargs, *function.node.args.args]
    return bool(arguments) and arguments[0].arg == name


def _assign_item(frame: Frame, target: ast.Subscript, value: Value, source: ast.expr | None) -> None:
    held = [frame.evaluate(target.value)]
    index = beside(frame, held, target.slice)
    holder = held[0]
    if isinstance(holder, (DictV, SequenceV)) and not isinstance(target.slice, ast.Slice):
        value = stored.item(frame, target.value, value, source)
    if isinstance(holder, Tensor):
        nodes = (target.value, target.slice, source or target)
        calls.tensor_method(frame, holder, "__setitem__", (index, value), {}, target, nodes)
    elif isinstance(holder, DictV):
        if enumerations.is_key(index):
            updated = replace(holder, items={**holder.items, index: value}, length=None)
        else:
            place = frame.place(target)
            rest = of_others(value) if holder.rest is None else join(holder.rest, value, place)
            items = {k: join(v, value, f"{place}.{k}") for k, v in holder.items.items()}
            # any of them may be the one that is replaced
            updated = replace(holder, items=items, rest=rest, length=None)
        mutation.changed(frame, holder, updated, target.value)
    elif isinstance(holder, SequenceV):
        changed = with_item(holder, index, value, frame.place(target))
        mutation.changed(frame, holder, changed, target.value)
        if isinstance(value, _MODULES):
            _outgrow(frame, target.value, changed)
    elif isinstance(holder, Instance):
        frame.state.replace_value(holder, without_attributes(holder))
    elif isinstance(holder, tuple):  # a list, then, of a library of before: ``np.meshgrid``
        frame.state.replace_value(holder, UNKNOWN)
    elif isinstance(target.value, ast.Attribute) and target.value.attr in surgery.HELD:
        surgery.put_somewhere(frame, value)


def augmented(frame: Frame, node: ast.AugAssign) -> bool:
    """``a += value``; what follows is reached."""
    target = node.target
    left, right = frame.evaluate(_loaded(target)), frame.evaluate(node.value)
    if isinstance(left, (SequenceV, DictV)):
        left = frame.evaluate(_loaded(target))  # with what the value has changed of it: ``xs += [xs.pop()]``
    operands = (_loaded(target), node.value)
    right = kept(frame, right, node.lineno)
    value = operate(frame, node, node.op, left, right, operands, in_place=True)
    if isinstance(left, (SequenceV, DictV)):  # it changes in place, for whoever holds it
        value = value if type(value) is type(left) else updates.emptied(left)
        mutation.changed(frame, left, value, _loaded(target))
        now = frame.evaluate(_loaded(target))
        value = now if type(now) is type(left) and now is not left else value  # but for what holds itself
    elif isinstance(left, Instance):
        frame.state.replace_value(left, without_attributes(left))
    if isinstance(target, ast.Subscript) and isinstance(frame.evaluate(target.value), Tensor):
        return True
    assign_target(frame, target, value)
    return True


def _loaded(target: ast.expr) -> ast.expr:
    """The target of an augmented assignment, read."""
    match target:
        case ast.Name(id=name):
            loaded: ast.expr = ast.Name(id=name, ctx=ast.Load())
        case ast.Attribute(value=value, attr=attr):
            loaded = ast.Attribute(value=value, attr=attr, ctx=ast.Load())
        case ast.Subscript(value=value, slice=index):
            loaded = ast.Subscript(value=value, slice=index, ctx=ast.Load())
        case _:
            return target
    return ast.copy_location(loaded, target)


def annotated(frame: Frame, node: ast.AnnAssign) -> bool:
    """``a: T = value``, or a declaration without a value; what follows is reached."""
    spec = reading.read(node.annotation, frame.evaluate)
    if node.value is None:
        if isinstance(node.target, ast.Name) and specs.shaped(spec):
            frame.declared[node.target.id] = spec
            stored.annotate(frame, node.target.id, spec, node.lineno)
        return True
    value = frame.evaluate(node.value)
    if isinstance(node.target, ast.Attribute):
        holder = frame.evaluate(node.target.value)
        if isinstance(holder, Instance):
            value = frame.interpreter.check_attribute(frame, holder, spec, value, node.value)
            assign_target(frame, node.target, value)
            return True
    value = _with_registered(frame, node.target, value)
    if isinstance(node.target, ast.Name):
        stored.annotate(frame, node.target.id, spec, node.lineno)
    assign_target(frame, node.target, check_declared(frame, spec, value, node.value))
    return True
