"""Modules that an ``nn.Sequential`` takes up after it was made: it runs all that are registered, in order."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterable, Set
from dataclasses import replace
from functools import lru_cache
from inspect import Parameter, signature
from typing import TYPE_CHECKING

from typedtorch.shapes.dtypes import FLOAT, FLOAT8
from typedtorch.shapes.equality import same
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.operators.rule_values import from_rule
from typedtorch.shapes.infer.program.class_text import only_passes_on
from typedtorch.shapes.infer.program.index import MUTATORS, registered
from typedtorch.shapes.infer.values.contents import with_parts
from typedtorch.shapes.infer.values.objects import resizes
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Choice,
    DictV,
    FunctionV,
    Instance,
    LayerV,
    Object,
    Sequence,
    Tensor,
    Value,
    options_of,
)
from typedtorch.shapes.rule import LAYERS
from typedtorch.shapes.syntax import SCOPES, walk
from typedtorch.shapes.tensor import Pack

if TYPE_CHECKING:
    from typedtorch.shapes.infer.calls.binding import Args


def with_attribute(holder: Instance, name: str, value: Value) -> Instance:
    """The object with one attribute more; one that extends ``nn.Sequential`` runs it if it is a module."""
    if isinstance(value, Tensor):
        value = UNKNOWN if _keeps_elsewhere(holder) else _as_buffer(holder, name, value)
    made = holder.with_attribute(name, value)
    modules = holder.attributes.get("__layer__")
    if isinstance(modules, LayerV) and alters(modules, name, value):
        return made.with_attribute("__layer__", UNKNOWN)
    if not isinstance(modules, Sequence) or not may_be_module(value):
        return made
    again = name in holder.attributes or name.isdigit()
    return made.with_attribute("__layer__", with_module(modules, UNKNOWN if again else value))


def _as_buffer(holder: Instance, name: str, value: Tensor) -> Tensor:
    """What is assigned to a buffer becomes the buffer: it is cast to another float dtype with the module."""
    if not value.dtype & FLOAT or not any(name in _registered_in(info.node) for info in holder.info.mro()):
        return value
    return replace(value, dtype=value.dtype | FLOAT)


@lru_cache(maxsize=256)
def _registered_in(node: ast.ClassDef) -> frozenset[str]:
    return frozenset(name for part in walk(node) if (name := registered(part)) is not None)


def _keeps_elsewhere(holder: Instance) -> bool:
    """Whether a ``__setattr__`` may put what it gets where others reach it."""
    own = (body for info in holder.info.mro() for body in info.methods.get("__setattr__", ()))
    return any(not only_passes_on(body) for body in own)


def alters(layer: LayerV, name: str, value: Value, *, tied: bool = False) -> bool:
    """Whether a layer of torch does something else with this attribute.

    ``tied``: it is the parameter of another layer, which has its shape if nothing says otherwise.
    """
    known = layer.layer.attributes
    if name not in known or name in _HARMLESS:
        return is_setting(layer, name)
    own = from_rule(known[name])
    if isinstance(own, Tensor) and isinstance(value, Tensor):
        if tied and own.rank is not None and own.rank == value.rank:
            pairs = zip(own.shape, value.shape, strict=True)
            return any(
                same(a, b) is False for a, b in pairs if not isinstance(a, Pack) and not isinstance(b, Pack)
            )
        return bool(own.shape != value.shape)
    return bool(own != value)


def without_layers_of(frame: Frame, weight: Tensor) -> None:
    """``fc.weight.data = other``: any layer with a parameter of that shape may have it, or be tied to it."""
    for value in list(frame.state.variables.values()):
        left = _without_layers(value, weight)
        if left is not value:
            frame.state.replace_value(value, left)


def without_layers_unlike(frame: Frame, weight: Tensor) -> None:
    """``params["weight"].data = other``: of whichever layer that is, it may not have been of this shape."""
    for value in list(frame.state.variables.values()):
        left = _without_unlike(value, weight)
        if left is not value:
            frame.state.replace_value(value, left)


def _without_unlike(value: Value, weight: Tensor) -> Value:
    if isinstance(value, LayerV):
        held = [v.shape for v in value.layer.attributes.values() if isinstance(v, Tensor)]
        alike = weight.shape in held or not any(len(shape) == len(weight.shape) for shape in held)
        return value if alike else UNKNOWN
    return with_parts(value, lambda part: _without_unlike(part, weight))


def without_layer_of(frame: Frame, owner: ast.expr, weight: Tensor) -> None:
    """``fc.weight.resize_(4, 3)``, where it is of a layer."""
    with frame.reporter.mute():
        if isinstance(frame.evaluate(owner), LayerV):
            without_layers_of(frame, weight)


def _without_layers(value: Value, weight: Tensor) -> Value:
    if isinstance(value, LayerV):
        held = value.layer.attributes.values()
        return UNKNOWN if any(isinstance(v, Tensor) and v.shape == weight.shape for v in held) else value
    return with_parts(value, lambda part: _without_layers(part, weight))


def set_attribute(frame: Frame, holder: Value, name: Value, value: Value) -> None:
    """``setattr(holder, name, value)`` and its like."""
    if isinstance(holder, LayerV) and not (isinstance(name, str) and not alters(holder, name, value)):
        frame.state.replace_value(holder, UNKNOWN)
    if not isinstance(holder, Instance):
        return
    if isinstance(name, str):
        had = holder.attributes.get(name, UNKNOWN)
        changed = with_attribute(holder, name, value)
        if is_module(had) and may_be_module(value) and holder is not own_object(frame):
            changed = replace(changed, arguments={}, altered=True)
        altered = changed.altered or resizes(had, value)
        frame.state.replace_value(holder, replace(changed, altered=altered))
    elif isinstance(holder.attributes.get("__layer__"), Sequence) and may_be_module(value):
        unknown = Sequence("sequential", None, UNKNOWN)
        frame.state.replace_value(holder, holder.with_attribute("__layer__", unknown))


def own_object(frame: Frame) -> Value:
    """The object whose method a body is."""
    bound = frame.function is not None and frame.function.is_bound
    return next(iter(frame.state.variables.values()), UNKNOWN) if bound else UNKNOWN


HOOKING = frozenset({"register_forward_hook", "register_forward_pre_hook"})


def hook(frame: Frame, holder: Value, args: Args) -> None:
    """A hook that gives something back puts it in the place of what the module gives, or is given."""
    function = args.get(0, "hook", UNKNOWN)
    if isinstance(function, FunctionV) and not _gives_back(function.node):
        return
    forgotten = holder.with_attribute("forward", UNKNOWN) if isinstance(holder, Instance) else UNKNOWN
    frame.state.replace_value(holder, forgotten)


def _gives_back(node: ast.AST) -> bool:
    """Whether a function returns anything but None; a lambda may only put something into a container."""
    if isinstance(node, ast.Lambda):
        call = node.body.func if isinstance(node.body, ast.Call) else None
        return not (
            isinstance(call, ast.Attribute) and call.attr in MUTATORS - {"pop", "popleft", "setdefault"}
        )
    inner = {n for part in walk(node) if part is not node and isinstance(part, SCOPES) for n in walk(part)}
    returned = (n.value for n in walk(node) if isinstance(n, ast.Return) and n not in inner)
    return any(v is not None and not (isinstance(v, ast.Constant) and v.value is None) for v in returned)


_ANY_FLOAT = FLOAT & ~FLOAT8  # what the parameters of a layer may be that was made without a dtype
_CASTS = frozenset({"to", "half", "float", "double", "bfloat16", "type"})


def recast(value: Value, method: str) -> Value:
    """A module after ``module.to(dtype)``: of layers made with a dtype of their own that no longer holds."""
    if method not in _CASTS:
        return value
    if isinstance(value, LayerV):
        held = [v for v in value.layer.attributes.values() if isinstance(v, Tensor) and v.dtype & FLOAT]
        return value if all(_ANY_FLOAT & ~v.dtype == 0 for v in held) else UNKNOWN
    if isinstance(value, Instance):
        made = {k: recast(v, method) for k, v in value.attributes.items()}
        same = all(made[k] is v for k, v in value.attributes.items())
        return value if same else replace(value, attributes=made)
    if isinstance(value, Sequence) and value.kind in ("modules", "sequential") and value.items is not None:
        items = tuple([recast(v, method) for v in value.items])
        return value if all(map(operator.is_, items, value.items)) else replace(value, items=items)
    return value


MODULES_OF = frozenset({"modules", "named_modules", "children", "named_children"})


def applied(frame: Frame, module: Value, function: Value) -> Value:
    """``module.apply(f)``: the module, with what ``f`` may have set in it, or in any module in it."""
    if not isinstance(function, FunctionV):
        return module
    facts = function.module.facts(function.node)
    names = {attribute for _, attribute in facts.stored}
    changed = with_settings_forgotten(module, names) if names else module
    if changed is not module:
        frame.state.replace_value(module, changed)
    return changed


def with_settings_forgotten(value: Value, names: Set[str]) -> Value:
    """A module of which other code may have set these attributes, and those of every module in it."""
    if isinstance(value, Instance):
        inside = value.attributes.items()
        held = {k: UNKNOWN if k in names else with_settings_forgotten(v, names) for k, v in inside}
        same = all(held[k] is v for k, v in value.attributes.items())
        return value if same else replace(value, attributes=held, altered=True)
    if isinstance(value, LayerV):
        tensors = {k for k, v in value.layer.attributes.items() if isinstance(v, Tensor)} - _HARMLESS
        altered = not tensors.isdisjoint(names) or any(is_setting(value, name) for name in names)
        return UNKNOWN if altered else value
    if isinstance(value, Sequence) and value.items is not None:
        items = tuple([with_settings_forgotten(v, names) for v in value.items])
        return value if all(map(operator.is_, items, value.items)) else replace(value, items=items)
    if isinstance(value, Sequence):
        return replace(value, element=with_settings_forgotten(value.element, names), grown=None)
    if isinstance(value, DictV) and value.kind == "modules":
        return replace(value, items={k: with_settings_forgotten(v, names) for k, v in value.items.items()})
    return value


def set_in_modules(frame: Frame, function: FunctionV, given: Iterable[tuple[Value, ast.expr | None]]) -> None:
    """``functional.set_mode(net, "m")``, whose body walks through the modules of what it is given."""
    facts = function.module.facts(function.node)
    names = {attribute for name, attribute in facts.stored if name in facts.last_store}
    if not names or MODULES_OF.isdisjoint(facts.called):
        return
    for value, node in given:
        if is_module(value) and isinstance(node, (ast.Name, ast.Attribute)):
            with frame.reporter.mute():
                current = frame.evaluate(node)  # with what the call has changed already
            frame.state.replace_value(current, with_settings_forgotten(current, names))


def with_module(modules: Sequence, module: Value) -> Sequence:
    """A container with one module more at its end; unknown where it may stand elsewhere or be none."""
    if modules.items is None or module is UNKNOWN or isinstance(module, Choice):
        return Sequence(modules.kind, None, UNKNOWN)
    return replace(modules, items=(*modules.items, module))


# settings of layers that leave the shape of what they give as it is
_HARMLESS = frozenset({"bias", "p", "inplace", "eps", "momentum", "affine", "track_running_stats", "dropout"})


def is_setting(layer: LayerV, name: str) -> bool:
    """Whether a layer works by an attribute that its constructor set: ``loss.reduction = "none"``."""
    made = LAYERS.get(layer.name)
    if made is None or name in _HARMLESS:
        return False
    parameters = signature(made.function).parameters
    collects = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values())
    return name in parameters or (collects and not name.startswith("_"))


def may_be_module(value: Value) -> bool:
    """Whether a value may be a module of torch."""
    return any(option is UNKNOWN or is_module(option) for option in options_of(value))


def is_module(value: Value) -> bool:
    """Whether a value is certainly a module."""
    if isinstance(value, Instance):
        return value.info.kind.is_module
    if isinstance(value, (Sequence, DictV)):
        return value.kind in ("modules", "sequential")
    return isinstance(value, LayerV) or (isinstance(value, Object) and value.name.startswith("torch.nn."))


__all__ = ["is_module", "is_setting", "own_object", "set_attribute", "with_attribute", "with_module"]
