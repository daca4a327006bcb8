"""What the text of a function says about names, gathered in one walk and kept with the module."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from typedtorch.shapes.assigned_elsewhere import is_self
from typedtorch.shapes.syntax import Syntax

MUTATORS = frozenset(
    {
        "append", "extend", "insert", "add", "update", "pop", "popleft", "clear", "remove", "setdefault",
        "appendleft", "extendleft", "reverse", "rotate", "sort", "popitem", "discard",
    }
)  # fmt: skip

# those that lists alone have: what they are called on is no object of a class, wherever it is held
_LONGER = frozenset({"append", "extend", "insert", "appendleft"})

REGISTERS = frozenset({"register_buffer", "register_parameter", "register_module", "add_module"})


# methods that give a tensor another shape in place
RESHAPING = frozenset(
    {
        "resize_", "resize_as_", "set_", "squeeze_", "unsqueeze_", "t_", "transpose_", "swapaxes_",
        "swapdims_", "as_strided_", "resize",
    }
)  # fmt: skip


@dataclass(slots=True)
class Facts:
    """Names in one function.

    ``local``: bound in its own body.  ``stored``: attributes assigned on any name (``x.a = ...``), with
    that name.  ``changed``: what has its items changed, names and ``name.attribute``.  ``passed``: names
    that calls are given, or whose methods are called.  ``called``: attributes that are called.
    ``given``: attributes assigned on anything but a method's own object.  ``within``: attributes of
    names inside which something is assigned, ``net.layer.weight = ...``.
    ``outer``: names that it, or a function in it, declares to be somebody else's.
    """

    local: set[str] = field(default_factory=set)
    generator: bool = False
    stored: set[tuple[str, str]] = field(default_factory=set)
    given: set[str] = field(default_factory=set)
    within: set[tuple[str, str]] = field(default_factory=set)
    changed_names: set[str] = field(default_factory=set)
    changed_attributes: set[str] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)
    rebound_outside: set[str] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)
    last_store: dict[str, int] = field(default_factory=dict)
    last_change: dict[str, int] = field(default_factory=dict)
    receiver: str = "self"  # of the method that is being read

    @property
    def reshapes(self) -> bool:
        """Whether something is given another shape in place, or other data."""
        return "data" in self.given or not RESHAPING.isdisjoint(self.called)

    def after(self, line: int) -> set[str]:
        """Names that are bound, or what they hold changed, below a line."""
        return {n for lines in (self.last_store, self.last_change) for n, at in lines.items() if at > line}


def facts_of(node: ast.AST, syntax: Syntax) -> Facts:
    """What is said inside a function (or lambda) of this source."""
    facts = Facts()
    for scope, own in syntax.scopes_in(node):
        facts.receiver = syntax.receivers.get(scope, "self")  # none where it is somebody else's
        for inner in own:
            note = _NOTES.get(type(inner))
            if note is not None:
                note(inner, facts, scope is node)
    facts.local -= facts.rebound_outside
    return facts


def _name(node: ast.Name, facts: Facts, own: bool) -> None:
    if isinstance(node.ctx, ast.Store):
        if own:
            facts.local.add(node.id)
        facts.last_store[node.id] = max(facts.last_store.get(node.id, 0), node.lineno)


def _argument(node: ast.arg, facts: Facts, own: bool) -> None:
    if own:
        facts.local.add(node.arg)


def _definition(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, facts: Facts, own: bool) -> None:
    if own:
        facts.local.add(node.name)


def _yield(node: ast.AST, facts: Facts, own: bool) -> None:
    facts.generator = facts.generator or own


def _outer(node: ast.Global | ast.Nonlocal, facts: Facts, own: bool) -> None:
    facts.changed_names.update(node.names)
    facts.outer.update(node.names)
    if own:
        facts.rebound_outside.update(node.names)


def _attribute(node: ast.Attribute, facts: Facts, own: bool) -> None:
    if isinstance(node.ctx, ast.Load):
        return
    if not _is_receiver(node.value, facts):
        facts.given.add(node.attr)
        _note_inside(node.value, facts)
    match node.value:
        case ast.Subscript(value=held):
            _changed(held, facts)
        case ast.Name(id=name):
            facts.stored.add((name, node.attr))
            facts.last_change[name] = max(facts.last_change.get(name, 0), node.lineno)
        case ast.Call(func=ast.Name(id="type")) | ast.Attribute(attr="__class__"):
            if isinstance(node.ctx, ast.Store):
                facts.stored.add(("cls", node.attr))


def _is_receiver(node: ast.expr, facts: Facts) -> bool:
    if not isinstance(node, ast.Name) or facts.receiver == "":
        return False
    return node.id == facts.receiver or is_self(node)


def _call(node: ast.Call, facts: Facts, own: bool) -> None:
    facts.passed.update([argument.id for argument in node.args if isinstance(argument, ast.Name)])
    facts.passed.update([k.value.id for k in node.keywords if isinstance(k.value, ast.Name)])
    if isinstance(node.func, ast.Attribute):
        _method_call(node, node.func.value, node.func.attr, facts)
        return
    match node:
        case ast.Call(
            func=ast.Name(id="setattr"),
            args=[ast.Name(id=name) as held, ast.Constant(value=str(attribute)), _],
        ):
            facts.stored.add((name, attribute))
            if not _is_receiver(held, facts):
                facts.given.add(attribute)


def _method_call(node: ast.Call, held: ast.expr, method: str, facts: Facts) -> None:
    facts.called.add(method)
    if isinstance(held, ast.Name):
        facts.passed.add(held.id)
        buffer = registered(node)
        if buffer is not None:
            facts.stored.add((held.id, buffer))
    if method in RESHAPING and isinstance(held, ast.Attribute) and isinstance(held.value, ast.Name):
        facts.stored.add((held.value.id, held.attr))
    if method in MUTATORS:
        while method in _LONGER and isinstance(held, ast.Subscript):
            held = held.value
        _changed(held, facts)


def _subscript(node: ast.Subscript, facts: Facts, own: bool) -> None:
    if not isinstance(node.ctx, ast.Load):
        held = node.value
        while isinstance(held, ast.Subscript):  # ``TABLES[name][key] = ...``
            held = held.value
        _changed(held, facts)


# The kinds of nodes that say anything about names.
_NOTES: dict[type[ast.AST], Callable[[Any, Facts, bool], None]] = {
    ast.Name: _name, ast.arg: _argument, ast.Attribute: _attribute, ast.Call: _call,
    ast.Subscript: _subscript, ast.FunctionDef: _definition, ast.AsyncFunctionDef: _definition,
    ast.ClassDef: _definition, ast.Yield: _yield, ast.YieldFrom: _yield, ast.Global: _outer,
    ast.Nonlocal: _outer,
}  # fmt: skip


def _note_inside(holder: ast.expr, facts: Facts) -> None:
    """``net.layer`` of ``net.layer.weight = ...``, however deep."""
    while isinstance(holder, ast.Attribute):
        if isinstance(holder.value, ast.Name):
            facts.within.add((holder.value.id, holder.attr))
        holder = holder.value


def registered(node: ast.AST) -> str | None:
    """The attribute that ``self.register_buffer("name", ...)`` sets."""
    match node:
        case ast.Call(func=ast.Attribute(attr=method), args=[ast.Constant(value=str(name)), *_]):
            return name if method in REGISTERS else None
    return None


def reshaped(node: ast.AST) -> str | None:
    """The attribute that ``self.x.resize_(...)`` makes a tensor of another shape."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=name), attr=method)):
            return name if method in RESHAPING else None
    return None


def _changed(held: ast.expr, facts: Facts) -> None:
    if isinstance(held, ast.Name):
        facts.changed_names.add(held.id)
        facts.last_change[held.id] = max(facts.last_change.get(held.id, 0), held.lineno)
    elif isinstance(held, ast.Attribute) and isinstance(held.value, ast.Name):
        facts.changed_attributes.add(held.attr)
