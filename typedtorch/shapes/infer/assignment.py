"""Binding names: assignment, unpacking, declarations, and what a local annotation promises."""

from __future__ import annotations

import ast
from dataclasses import replace

from typedtorch.shapes import dtypes
from typedtorch.shapes.equality import generic
from typedtorch.shapes.infer import calls, messages, mutation, reading, refine, registering, specs
from typedtorch.shapes.infer.arithmetic import operate
from typedtorch.shapes.infer.assuming import Names, assume
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.items import items_of, iterate, tensor_item, with_item
from typedtorch.shapes.infer.places import read_place, write_place
from typedtorch.shapes.infer.unify import match
from typedtorch.shapes.infer.values import (
    UNKNOWN,
    Bound,
    Choice,
    DictV,
    External,
    FunctionV,
    Instance,
    LayerV,
    Tensor,
    Value,
    choice,
    is_size,
    join,
    options_of,
)
from typedtorch.shapes.infer.values import Sequence as SequenceV
from typedtorch.shapes.rule import Fields
from typedtorch.shapes.size import Poly, integer, unknown
from typedtorch.shapes.tensor import ANY_AXES, Entry, Pack, Shape, better, has_open_run, pack_index


def assign(frame: Frame, node: ast.Assign) -> bool:
    value = frame.evaluate(node.value)
    for target in node.targets:
        assign_target(frame, target, value, node.value)
    return True


def assign_target(frame: Frame, target: ast.expr, value: Value, source: ast.expr | None = None) -> None:
    """Bind a target: a name, an attribute, an item, or a tuple of targets."""
    match target:
        case ast.Name(id=name):
            if name in frame.declared and source is not None:
                value = check_declared(frame, frame.declared[name], value, source)
            frame.state.variables[name] = value
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            _unpack(frame, elts, value, target, source)
        case ast.Starred(value=inner):
            assign_target(frame, inner, value, source)
        case ast.Attribute(value=base, attr=attr):
            _assign_attribute(frame, base, attr, value, source)
        case ast.Subscript():
            _assign_item(frame, target, value, source)


def _assign_attribute(frame: Frame, base: ast.expr, attr: str, value: Value, source: ast.expr | None) -> None:
    holder = frame.evaluate(base)
    if isinstance(holder, Instance):
        spec = holder.info.spec(attr)
        if spec is not None and source is not None and specs.shaped(spec):
            value = frame.interpreter.check_attribute(frame, holder, attr, spec, value, source)
        had = holder.attributes.get(attr)
        frame.state.replace_value(holder, registering.with_attribute(holder, attr, value))
        if isinstance(had, _MODULES) and isinstance(value, _MODULES):
            _outgrow(frame, base)
    elif isinstance(holder, LayerV) and registering.is_setting(holder, attr):
        frame.state.replace_value(holder, UNKNOWN)
    elif isinstance(holder, SequenceV) and holder.kind == "sequential":
        frame.state.replace_value(holder, registering.with_module(holder, UNKNOWN))
    elif isinstance(holder, Tensor) and attr == "data" and isinstance(value, Tensor):
        frame.state.replace_value(holder, value)
    elif isinstance(holder, Tensor) and holder.library == "numpy" and attr in ("dtype", "shape"):
        frame.state.replace_value(holder, UNKNOWN)  # the same bytes, read as something else


_MODULES = (LayerV, Instance, SequenceV)


def _outgrow(frame: Frame, base: ast.expr) -> None:
    """``net.stem = nn.Linear(5, 8)``: what the constructor was given no longer says what the net takes."""
    root = base
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    function = frame.function
    if not isinstance(root, ast.Name) or (
        function is not None and function.is_bound and _is_own(function, root)
    ):
        return  # a constructor that is still at work
    value = frame.state.variables.get(root.id)
    if isinstance(value, Instance):
        frame.state.replace_value(value, replace(value, arguments={}, altered=True))
    if base is not root:
        inner = frame.evaluate(base)
        if isinstance(inner, Instance):
            frame.state.replace_value(inner, replace(inner, arguments={}, altered=True))


def _is_own(function: FunctionV, name: ast.Name) -> bool:
    arguments = [*function.node.args.posonlyargs, *function.node.args.args]
    return bool(arguments) and arguments[0].arg == name.id


def _assign_item(frame: Frame, target: ast.Subscript, value: Value, source: ast.expr | None) -> None:
    holder, index = frame.evaluate(target.value), frame.evaluate(target.slice)
    if isinstance(holder, Tensor):
        nodes = (target.value, target.slice, source or target)
        calls.tensor_method(frame, holder, "__setitem__", (index, value), {}, target, nodes)
    elif isinstance(holder, DictV):
        if isinstance(index, (str, int)):
            updated = DictV({**holder.items, index: value}, holder.rest, holder.kind)
        else:
            place = frame.place(target)
            rest = value if holder.rest is None else join(holder.rest, value, place)
            items = {k: join(v, value, f"{place}.{k}") for k, v in holder.items.items()}
            updated = DictV(items, rest, holder.kind)  # any of them may be the one that is replaced
        mutation.changed(frame, holder, updated, target.value)
    elif isinstance(holder, SequenceV):
        changed = with_item(holder, index, value, frame.place(target))
        mutation.changed(frame, holder, changed, target.value)
        if isinstance(value, _MODULES):
            _outgrow(frame, target.value)


def _unpack(
    frame: Frame, elts: list[ast.expr], value: Value, target: ast.expr, source: ast.expr | None
) -> None:
    star = next((i for i, e in enumerate(elts) if isinstance(e, ast.Starred)), None)
    if isinstance(value, Choice):
        fits = [v for v in value.options if not isinstance(v, tuple) or len(v) == len(elts)]
        value = fits[0] if len(fits) == 1 and star is None else UNKNOWN
    if isinstance(value, Tensor):
        value = _unpack_tensor(frame, value, elts, star, target, source)
    if isinstance(value, tuple) and any(isinstance(v, Pack) for v in value):
        if star is not None and len(value) == len(elts) and isinstance(value[star], Pack):
            # *batch, s, d = x.shape: the run of axes itself, to be spread again in view(*batch, ...)
            for i, (element, part) in enumerate(zip(elts, value, strict=True)):
                assign_target(frame, element, (part,) if i == star else part)
            return
        value = _unpack_shape(frame, value, elts, star, source)
    items = items_of(value)
    if items is None and star is None and isinstance(source, ast.Call):
        value = _check_unbind(frame, source, value, len(elts))
    if items is None:
        each = iterate(value, frame.place(target))
        for element in elts:
            inner = SequenceV("list", None, each) if isinstance(element, ast.Starred) else each
            assign_target(frame, element, inner)
        return
    if star is None:
        if len(items) != len(elts):
            if _certain_count(frame, value, source):
                messages.unpack(frame, source or target, value, len(elts), len(items))
            items = [UNKNOWN] * len(elts)
        for element, item, part in zip(elts, items, mutation.parts(source, len(elts)), strict=True):
            assign_target(frame, element, item, part)
        return
    after = len(elts) - star - 1
    if len(items) < len(elts) - 1:
        items = [UNKNOWN] * len(elts)
    for element, item in zip(elts[:star], items[:star], strict=True):
        assign_target(frame, element, item)
    assign_target(frame, elts[star], SequenceV("list", tuple(items[star : len(items) - after])))
    for element, item in zip(elts[star + 1 :], items[len(items) - after :], strict=True):
        assign_target(frame, element, item)


def _check_unbind(frame: Frame, source: ast.Call, value: Value, wanted: int) -> Value:
    """``k, v = kv.unbind(1)`` where it is another axis that is 2."""
    func = source.func
    if not isinstance(func, ast.Attribute) or func.attr != "unbind" or len(source.args) > 1:
        return value
    given = [k.value for k in source.keywords if k.arg == "dim"] or source.args
    with frame.reporter.mute():
        tensor = frame.evaluate(func.value)
        dim = frame.evaluate(given[0]) if given else 0
    if isinstance(tensor, Tensor) and isinstance(dim, int) and tensor.rank is not None:
        return _check_taken(frame, source, value, tensor, dim % tensor.rank if tensor.rank else 0, wanted)
    return value


def _check_taken(frame: Frame, node: ast.expr, value: Value, tensor: Tensor, dim: int, wanted: int) -> Value:
    """``x, y, z = points`` of ``n 3``: n may be 3, but another axis is; what follows from it is unknown."""
    size = tensor.shape[dim] if dim < len(tensor.shape) else 0
    if isinstance(size, Poly) and generic(size) and wanted in tensor.shape:
        messages.unpack_along(frame, node, tensor, dim, wanted)
        return UNKNOWN
    return value


def _certain_count(frame: Frame, value: Value, source: ast.expr | None) -> bool:
    """A shape, or what an operator returned; an annotated tuple is a type checker's to count."""
    if not isinstance(value, tuple) or isinstance(value, Fields):
        return False
    if all(is_size(v) for v in value) and not isinstance(source, ast.Call):
        return True
    if isinstance(source, ast.Call) and refine._shape_of(source) is not None:
        return True
    if not isinstance(source, ast.Call) or not all(isinstance(v, Tensor) for v in value):
        return False
    with frame.reporter.mute():
        return isinstance(frame.evaluate(source.func), (Bound, External))


def _unpack_tensor(
    frame: Frame,
    value: Tensor,
    elts: list[ast.expr],
    star: int | None,
    target: ast.expr,
    source: ast.expr | None,
) -> Value:
    """``q, k, v = qkv``: the first axis is taken apart."""
    first = value.shape[0] if value.shape else None
    if star is None and isinstance(first, int) and first != len(elts):
        messages.unpack(frame, source or target, value, len(elts), first)
    each = tensor_item(value)
    if star is None and first != len(elts):
        each = _check_taken(frame, source or target, each, value, 0, len(elts))
    return tuple([each] * len(elts)) if star is None else SequenceV("list", None, each)


def _unpack_shape(
    frame: Frame, value: tuple[Value, ...], elts: list[ast.expr], star: int | None, source: ast.expr | None
) -> Value:
    """``*batch, s, d = x.shape`` or ``b, s, d = x.shape`` where the rank is not known."""
    packed = pack_index(value)
    assert packed is not None
    if star is not None:
        return UNKNOWN
    missing = len(elts) - (len(value) - 1)
    if missing < 0 or sum(isinstance(v, Pack) for v in value) > 1:
        return UNKNOWN
    names = [e.id if isinstance(e, ast.Name) else "?" for e in elts[packed : packed + missing]]
    # a name that says it is not used says nothing of the size: of a square, perhaps
    fresh: Shape = tuple(unknown() if n.startswith("_") else integer(n) for n in names)
    subject = refine._shape_of(source) if source is not None else None
    if subject is not None:
        tensor = read_place(frame, subject)
        pack = value[packed]
        if isinstance(tensor, Tensor) and isinstance(pack, Pack):
            if pack.open:
                shape: tuple[Entry, ...] = (*tensor.shape[:packed], *fresh, *tensor.shape[packed + 1 :])
                write_place(frame, subject, replace(tensor, layout=None, shape=shape))
            else:
                frame.state.replace_pack(pack, fresh)
    return (*value[:packed], *fresh, *value[packed + 1 :])


def augmented(frame: Frame, node: ast.AugAssign) -> bool:
    target = node.target
    left, right = frame.evaluate(_loaded(target)), frame.evaluate(node.value)
    operands = (_loaded(target), node.value)
    value = operate(frame, node, node.op, left, right, operands, in_place=True)
    if isinstance(left, SequenceV) and isinstance(node.op, ast.Add):
        frame.state.replace_value(left, value)
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
    spec = reading.read(node.annotation, frame.evaluate)
    if node.value is None:
        if isinstance(node.target, ast.Name) and specs.shaped(spec):
            frame.declared[node.target.id] = spec
        return True
    value = frame.evaluate(node.value)
    if isinstance(node.target, ast.Attribute):
        holder = frame.evaluate(node.target.value)
        if isinstance(holder, Instance):
            value = frame.interpreter.check_attribute(
                frame, holder, node.target.attr, spec, value, node.value
            )
            assign_target(frame, node.target, value)
            return True
    assign_target(frame, node.target, check_declared(frame, spec, value, node.value))
    return True


def check_declared(frame: Frame, spec: specs.Spec, value: Value, source: ast.expr) -> Value:
    """A local annotation: names that are bound are checked, new ones are bound."""
    if isinstance(spec, specs.Anything):
        return value
    if value is UNKNOWN and isinstance(spec, specs.ArraySpec):
        value = _cast(source)
    names = frame.state.names
    names.tie = frame.state.ties.allow
    problems, names.tie = match(spec, value, names, binder=messages.source(source)), None
    if problems:
        messages.declared(frame, source, problems[0])
    promised = _existential(spec, names, frame.place(source), messages.source(source))
    if problems:
        return join(value, promised, frame.place(source))  # whichever is right
    found = more_precise(value, promised)
    if not frame.depth:
        frame.reporter.declared(source, found)
    return found


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
        return replace(value, element=more_precise(value.element, promised.element))
    if isinstance(value, SequenceV) and isinstance(promised, SequenceV) and value.items == ():
        return replace(value, element=promised.element)
    if isinstance(value, DictV) and isinstance(promised, DictV) and value.rest is not None:
        return replace(value, rest=more_precise(value.rest, promised.rest))
    if isinstance(value, (Tensor, Choice)) and isinstance(promised, (Tensor, Choice)):
        return _more_precise_options(value, promised)
    return value


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
