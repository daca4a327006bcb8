"""Modules whose parts are exchanged where it cannot be seen which: by computed names, or by other code.

``parent = model.get_submodule(path); setattr(parent, name, new)`` puts it into any of its modules.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import lru_cache

from typedtorch.shapes.infer import registering
from typedtorch.shapes.infer.binding import Args
from typedtorch.shapes.infer.contents import with_parts
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.registering import is_module, may_be_module
from typedtorch.shapes.infer.values import (
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

_PARTS_OF = frozenset({"get_submodule", "modules", "named_modules", "children", "named_children"})
HELD = frozenset({"_modules", "_parameters", "_buffers"})  # the dicts that a module keeps its parts in
_WALKS = _PARTS_OF | {"named_parameters", "parameters", "named_buffers", "buffers", "get_parameter"}
# what programs call the things that attributes are set of by name, and that are no modules
_SETTINGS = frozenset(
    {"args", "cfg", "config", "conf", "opt", "opts", "options", "hparams", "params", "namespace"}
)
# nothing in them gives a module other parameters
_HARMLESS = frozenset(
    {
        "torch", "numpy", "math", "wandb", "logging", "torchinfo", "torchsummary", "copy", "time", "pytest",
        "unittest",
    }
)  # fmt: skip


def setattr_(frame: Frame, args: Args, node: ast.AST) -> Value:
    """``setattr(holder, name, value)``."""
    holder, name, value = (args.get(i, key, UNKNOWN) for i, key in enumerate(("obj", "name", "value")))
    other = isinstance(holder, Instance) and holder is not _own(frame)  # to its own an object mostly adds
    if other and value is UNKNOWN and not isinstance(name, str):
        left = {k: UNKNOWN for k, v in holder.attributes.items() if not is_module(v)}
        changed = replace(holder, attributes={**holder.attributes, **left}, arguments={}, altered=True)
        frame.state.replace_value(holder, changed)
        args = replace(args, values=[changed, *args.values[1:]]) if args.values else args
    made = registering.setattr_(frame, args, node)
    if holder is UNKNOWN:
        put_somewhere(frame, args.nodes[0] if args.nodes else None, value)
    return made


def _own(frame: Frame) -> Value:
    """The object whose method a body is."""
    bound = frame.function is not None and frame.function.is_bound
    return next(iter(frame.state.variables.values()), UNKNOWN) if bound else UNKNOWN


def put_somewhere(frame: Frame, holder: ast.expr | None, value: Value) -> None:
    """``setattr(holder, name, value)`` where the holder may be any part of a module that is walked."""
    name = holder.attr if isinstance(holder, ast.Attribute) else getattr(holder, "id", "")
    if name in _SETTINGS or not _walks(frame.module.tree if frame.function is None else frame.function.node):
        return
    tensor = any(option is UNKNOWN or isinstance(option, Tensor) for option in options_of(value))
    exchange = _Exchange(modules=may_be_module(value), tensors=tensor)
    for held in (*frame.given, *frame.state.variables.values()):
        exchange(held)
    exchange.put_into(frame)


def given_parameters(frame: Frame, name: str, given: list[Value]) -> None:
    """Modules are given to a function that cannot be looked into: it may give them other parameters."""
    if name and ("." not in name or name.partition(".")[0] in _HARMLESS):
        return
    exchange = _Exchange(modules=False, tensors=True)
    own = _own(frame)
    for value in given:
        if is_module(value) and value is not own:
            exchange(value)
    exchange.put_into(frame)


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
        if isinstance(value, Instance) and value.info.is_module:
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
