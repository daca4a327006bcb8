"""Modules whose parts are exchanged where it cannot be seen which: by computed names, or by other code.

``parent = model.get_submodule(path); setattr(parent, name, new)`` puts it into any of its modules.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.calls.late import kept
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.layers.registering import (
    MODULES_OF,
    is_module,
    may_be_module,
    own_object,
    set_attribute,
    with_settings_forgotten,
)
from typedtorch.shapes.infer.program.program import EXTERNAL
from typedtorch.shapes.infer.values.contents import with_parts
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    DictV,
    Instance,
    LayerV,
    Sequence,
    Tensor,
    Value,
    options_of,
)
from typedtorch.shapes.syntax import walk

_PARTS_OF = MODULES_OF | {"get_submodule"}
HELD = frozenset({"_modules", "_parameters", "_buffers"})  # the dicts that a module keeps its parts in
_WALKS = _PARTS_OF | {"named_parameters", "parameters", "named_buffers", "buffers", "get_parameter"}


def setattr_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``setattr(holder, name, value)``."""
    holder, name, value = (args.get(i, key, UNKNOWN) for i, key in enumerate(("obj", "name", "value")))
    value = kept(frame, value, getattr(node, "lineno", 0))
    known = isinstance(holder, Instance) and isinstance(name, str)
    if known and (setter := frame.interpreter.setter(holder, name)) is not None:
        frame.call(setter, Args([value], [None]), node)
        return None
    set_attribute(frame, holder, name, value)
    if isinstance(holder, DictV):
        items = {**holder.items, name: value} if isinstance(name, str) else {}
        rest = holder.rest if isinstance(name, str) else UNKNOWN
        frame.state.replace_value(holder, replace(holder, items=items, rest=rest))
    elif holder is UNKNOWN:
        put_somewhere(frame, value)
    elif isinstance(holder, Instance) and not isinstance(name, str):
        _set_one(frame, holder, value, _may_be_called(args.nodes[1] if len(args.nodes) > 1 else None))
    return None


def submodule(module: Value, path: Value) -> Value:
    """``module.get_submodule("layers.0.fc")``."""
    if not isinstance(path, str):
        return UNKNOWN
    for name in path.split(".") if path else ():
        if isinstance(module, Instance):
            module = module.attributes.get(name, UNKNOWN)
        elif isinstance(module, DictV):
            module = module.items.get(name, UNKNOWN)
        elif isinstance(module, Sequence) and name.isdigit() and int(name) < len(module.items or ()):
            module = (module.items or ())[int(name)]
        else:
            return UNKNOWN
    return module


def set_submodule(frame: Frame, module: Value, path: Value, value: Value) -> Value:
    """``module.set_submodule("layers.0.fc", value)``."""
    parents, _, name = path.rpartition(".") if isinstance(path, str) else ("", "", "")
    holder = submodule(module, parents) if name else UNKNOWN
    if isinstance(holder, Instance):
        set_attribute(frame, holder, name, value)
    elif isinstance(holder, Sequence) and name.isdigit() and int(name) < len(holder.items or ()):
        items = list(holder.items or ())
        items[int(name)] = value
        frame.state.replace_value(holder, replace(holder, items=tuple(items)))
    else:
        exchange = _Exchange(modules=True, tensors=False)
        exchange(module)
        exchange.put_into(frame)
    return None


def _set_one(frame: Frame, holder: Instance, value: Value, may_be: Callable[[str], bool]) -> None:
    """An object is given something under one of the names that a computed one may come to."""
    anything = value is UNKNOWN and holder is not own_object(frame)  # to its own an object mostly adds
    module, tensor = may_be_module(value), _may_be_tensor(value)
    unknown = {
        k: UNKNOWN
        for k, v in holder.attributes.items()
        if may_be(k) and (anything or (module and may_be_module(v)) or (tensor and isinstance(v, Tensor)))
    }
    if unknown:
        arguments = {} if anything else holder.arguments
        changed = replace(
            holder, attributes={**holder.attributes, **unknown}, arguments=arguments, altered=True
        )
        frame.state.replace_value(holder, changed)


def _may_be_tensor(value: Value) -> bool:
    return any(
        option is UNKNOWN
        or isinstance(option, Tensor)
        or (isinstance(option, Instance) and not option.info.kind.is_module)  # of a subclass, perhaps
        for option in options_of(value)
    )


def replace_tensors(
    frame: Frame, holder: Instance, may_be: Callable[[str], bool] = lambda name: True
) -> None:
    """Other code gives an object new tensors in place of those whose names it may use."""
    unknown = {k: UNKNOWN for k, v in holder.attributes.items() if isinstance(v, Tensor) and may_be(k)}
    if unknown:
        changed = replace(holder, attributes={**holder.attributes, **unknown}, altered=True)
        frame.state.replace_value(holder, changed)


def _may_be_called(name: ast.AST | None) -> Callable[[str], bool]:
    """Which names a name that is put together, ``f"weight_{i}"``, may come to."""
    if not isinstance(name, ast.JoinedStr):
        return lambda attribute: True
    parts = [re.escape(str(p.value)) if isinstance(p, ast.Constant) else ".*" for p in name.values]
    return lambda attribute: re.fullmatch("".join(parts), attribute) is not None


def replace_in_modules(frame: Frame, node: ast.For | ast.AsyncFor) -> None:
    """``for m in model.modules(): setattr(m, name, ...)``: the model itself may be among them."""
    match node.iter:
        case ast.Call(func=ast.Attribute(value=source, attr=attr)) if attr in MODULES_OF:
            with frame.reporter.mute():
                holder = frame.evaluate(source)
            if not isinstance(holder, Instance):
                return
            inside = [inner for statement in node.body for inner in walk(statement)]
            names = {n.attr for n in inside if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
            if any(isinstance(n, ast.Name) and n.id == "setattr" for n in inside):
                replace_tensors(frame, holder)
            elif names:
                frame.state.replace_value(holder, with_settings_forgotten(holder, names))


def put_somewhere(frame: Frame, value: Value) -> None:
    """Something is set in what may be any part of a module, where a body walks through modules."""
    if not _walks(frame.module.tree if frame.function is None else frame.function.node):
        return
    exchange = _Exchange(modules=may_be_module(value), tensors=_may_be_tensor(value))
    for held in (*frame.given, *frame.state.variables.values()):
        exchange(held)
    exchange.put_into(frame)


def given_parameters(frame: Frame, name: str, args: Args) -> None:
    """Modules are given to a function that cannot be looked into: it may give them other parameters."""
    given = [value for value in args.every() if is_module(value)]
    if name.endswith(".register_parametrization") and args.get(3, "unsafe", False) is not False:
        _parametrized(frame, args.get(0, "module", UNKNOWN), args.get(1, "tensor_name", UNKNOWN))
    if not given or (name and ("." not in name or name.partition(".")[0] in EXTERNAL)):
        return
    exchange, own = _Exchange(modules=False, tensors=True), own_object(frame)
    for value in given:
        if value is not own:
            exchange(value)
    exchange.put_into(frame)


def _parametrized(frame: Frame, module: Value, name: Value) -> None:
    """``register_parametrization(fc, "weight", f, unsafe=True)``: the weight is as ``f`` makes it."""
    if isinstance(module, Instance) and isinstance(name, str):
        changed = replace(module.with_attribute(name, UNKNOWN), arguments={}, altered=True)
        frame.state.replace_value(module, changed)
    elif isinstance(module, LayerV):
        frame.state.replace_value(module, UNKNOWN)


class _Exchange:
    """Makes parts of modules unknown, wherever they stand."""

    def __init__(self, *, modules: bool, tensors: bool) -> None:
        self._modules = modules
        self._tensors = tensors
        self._made: dict[int, tuple[Value, Value]] = {}

    def __call__(self, value: Value) -> Value:
        if not isinstance(value, (Instance, LayerV, Sequence, DictV)):
            return value
        made = self._made.get(id(value))
        if made is None:
            self._made[id(value)] = value, value  # one that holds itself
            made = self._made[id(value)] = value, self._anew(value)
        return made[1]

    def put_into(self, frame: Frame) -> None:
        """From here on the objects are what was made of them, the outermost first."""
        for old, new in self._made.values():
            if new is not old and isinstance(old, (Instance, LayerV)):
                frame.state.replace_value(old, new)

    def _anew(self, value: Value) -> Value:
        if isinstance(value, LayerV):
            own = value.layer.attributes
            tensors = {name: UNKNOWN for name, held in own.items() if isinstance(held, Tensor)}
            layer = replace(value.layer, attributes={**own, **tensors})
            return replace(value, layer=layer) if self._tensors and tensors else value
        if isinstance(value, Instance) and value.info.kind.is_module:
            held = {name: self._part(part) for name, part in value.attributes.items()}
            same = all(held[name] is part for name, part in value.attributes.items())
            return value if same else replace(value, attributes=held, altered=True)
        return with_parts(value, self)

    def _part(self, part: Value) -> Value:
        made = self(part)  # for whoever else holds it
        exchanged = (self._modules and is_module(part)) or (self._tensors and isinstance(part, Tensor))
        return UNKNOWN if exchanged else made


@lru_cache(maxsize=1024)
def _walks(body: ast.AST) -> bool:
    """Whether code reaches into modules by names that it computes, or goes through all that they hold."""
    for node in walk(body):
        match node:
            case ast.Attribute(attr=name) if name in _PARTS_OF | HELD:
                return True
            case ast.For(iter=source) | ast.comprehension(iter=source):
                if any(isinstance(n, ast.Attribute) and n.attr in _WALKS for n in walk(source)):
                    return True
            case ast.Call(func=ast.Name(id="getattr"), args=[_, attribute, *_]):
                if not isinstance(attribute, ast.Constant):
                    return True
    return False
