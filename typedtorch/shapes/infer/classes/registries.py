"""Tables that decorators fill: ``@register("conv")`` above a class, and what ``TABLE["conv"]`` is then.

The class or function stands in the same file as the table, or in one that the package imports as a whole, and
the decorator puts it there under a string that the text tells.  Other files may put more into the table, so
of other keys nothing is known.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from typedtorch.shapes.infer.program.index import MUTATORS
from typedtorch.shapes.infer.values.values import UNKNOWN, ClassV, DictV, FunctionV, Instance, Value
from typedtorch.shapes.syntax import Syntax, walk

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes.classes import ClassInfo
    from typedtorch.shapes.infer.program.program import Module

_Def = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_IsTable = Callable[[ast.expr], bool]


@dataclass(frozen=True, slots=True)
class _Recorder:
    """A decorator: its parameters, with what they are if they are left out, and the key it makes of them.

    ``of_subclasses``: it is ``__init_subclass__``, which every class statement calls.
    """

    parameters: tuple[str, ...]
    defaults: Mapping[str, Value]
    item: str
    key: ast.expr
    of_subclasses: bool

    def key_for(self, use: ast.expr, name: str) -> str | None:
        """The key under which ``@use`` puts the definition of this name."""
        given: dict[str, Value] = dict(self.defaults)
        if isinstance(use, ast.Call):
            arguments = [*zip(self.parameters, use.args, strict=False)]
            arguments += [(k.arg, k.value) for k in use.keywords if k.arg is not None]
            for parameter, value in arguments:
                given[parameter] = value.value if isinstance(value, ast.Constant) else _NOT_TOLD
        found = self._read(self.key, given, name)
        return found if isinstance(found, str) else None

    def _read(self, key: ast.expr, given: Mapping[str, Value], name: str) -> Value:
        match key:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=parameter):
                return given.get(parameter, _NOT_TOLD)
            case ast.Attribute(value=ast.Name(id=item), attr="__name__") if item == self.item:
                return name
            case ast.Call(func=ast.Attribute(value=text, attr="lower"), args=[], keywords=[]):
                found = self._read(text, given, name)
                return found.lower() if isinstance(found, str) else _NOT_TOLD
            case ast.BoolOp(op=ast.Or(), values=[first, second]):
                found = self._read(first, given, name)
                return found if found is _NOT_TOLD or found else self._read(second, given, name)
        return _NOT_TOLD


_NOT_TOLD = UNKNOWN
_MAX_COMPANIONS = 40  # names that a package imports from its own files


def filled(name: str, module: Module, table: Value) -> Value:
    """A dict, or an object that holds some, with what decorators of its file put there; None if nothing."""
    if isinstance(table, DictV):
        if name not in module.facts(module.tree).changed_names:
            return None
        functions = {
            node.name: (node, False) for node in module.tree.body if isinstance(node, ast.FunctionDef)
        }

        def is_table(node: ast.expr) -> bool:
            return isinstance(node, ast.Name) and node.id == name

        return _filled(table, functions, is_table, module)
    if not isinstance(table, Instance) or table.info.module is not module:
        return None
    found = {}
    for attribute in table.info.self_changes:
        held = DictV({}) if _starts_empty(table.info, attribute) else None
        made = held and _filled_attribute(name, attribute, held, table.info, module)
        if made is not None:
            found[attribute] = made
    return replace(table, attributes={**table.attributes, **found}) if found else None


def _starts_empty(info: ClassInfo, attribute: str) -> bool:
    """Whether an attribute is an empty dict when the object is made, and no other for good."""
    if info.self_stores.get(attribute) != {"__init__"}:
        return False
    for node in walk(info.methods["__init__"][-1]):
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=name)], value=value) if name == attribute:
                return isinstance(value, ast.Dict) and not value.keys
            case ast.AnnAssign(target=ast.Attribute(attr=name), value=ast.Dict(keys=[])) if name == attribute:
                return True
    return False


def of_class(info: ClassInfo, attribute: str, table: Value) -> Value:
    """A dict in a class's body, with what decorators and subclasses in its file put there; or None."""
    if not isinstance(table, DictV) or table.rest is not None:
        return None
    return _filled_attribute(info.name, attribute, table, info, info.module)


def _filled_attribute(name: str, attribute: str, held: DictV, info: ClassInfo, module: Module) -> Value:
    methods = {
        f"{name}.{method}": (
            nodes[-1],
            not any(_dotted(d) == "staticmethod" for d in nodes[-1].decorator_list),
        )
        for method, nodes in info.methods.items()
        if isinstance(nodes[-1], ast.FunctionDef)
    }

    def is_table(node: ast.expr) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == attribute

    return _filled(held, methods, is_table, module)


def _filled(
    table: DictV,
    functions: Mapping[str, tuple[ast.FunctionDef, bool]],
    is_table: _IsTable,
    module: Module,
) -> Value:
    """The table with its registered items; None where something else changes it, or a key is not told."""
    recorders: dict[str, _Recorder] = {}
    changes = sum(map(is_table, _changed_anywhere(module.syntax)))
    for called, (node, is_method) in functions.items():
        inside = sum(map(is_table, _changed_in(walk(node)))) if changes else 0
        recorder = _recorder(node, is_table, is_method) if inside == 1 else None
        if recorder is not None:
            recorders[called] = recorder
            changes -= 1
    if changes or not recorders:
        return None
    items = dict(table.items)
    if not _put_by(module, recorders, items):
        return None
    brought = module.program.registered.setdefault(module.name, set())
    for other in _companions(module):
        there, known = _as_called_in(other, module, recorders), set(items)
        if there and not _put_by(other, there, items):
            return None
        put = (v for k, v in items.items() if k not in known and isinstance(v, (ClassV, FunctionV)))
        brought.update([(other.name, ""), *((other.name, _node_of(v).name) for v in put)])
    return replace(table, items=items, rest=UNKNOWN)


def _put_by(module: Module, recorders: Mapping[str, _Recorder], items: dict[str, Value]) -> bool:
    """Add what the decorators of a file register; False where some use of them is not understood."""
    uses = 0
    for definition in module.tree.body:
        if not isinstance(definition, _Def):
            continue
        for use, recorder in _uses(definition, recorders):
            uses += not recorder.of_subclasses
            key, value = recorder.key_for(use, definition.name), module.lookup(definition.name)
            if key is None:
                return False
            known = isinstance(value, (ClassV, FunctionV)) and key not in items
            items[key] = value if known and _node_of(value) is definition else UNKNOWN
    written = (node for node in module.syntax.nodes if isinstance(node, ast.expr))
    return uses >= sum(_dotted(node) in recorders for node in written)


def _companions(module: Module) -> list[Module]:
    """The files that the package of a module imports, whoever imports anything of it."""
    program, name = module.program, module.name if module.is_package else module.name.rpartition(".")[0]
    package = program.module(name) if name else None
    if package is None:
        return []
    below: dict[str, None] = {}
    for statement in package.tree.body:
        if isinstance(statement, ast.ImportFrom):
            source = package.absolute(statement)
            below |= dict.fromkeys([source, *(f"{source}.{alias.name}" for alias in statement.names)])
        elif isinstance(statement, ast.Import):
            below |= dict.fromkeys(alias.name for alias in statement.names)
    inside = [other for other in below if other.startswith(f"{name}.") and other != module.name]
    if len(inside) > _MAX_COMPANIONS:
        return []
    return [found for other in inside if (found := program.module(other)) is not None]


def _as_called_in(other: Module, module: Module, recorders: Mapping[str, _Recorder]) -> dict[str, _Recorder]:
    """The recorders of a module by what another file calls them, which imports them or their holders."""
    found = {}
    for name, bindings in other.bindings.items():
        source, attribute = bindings[-1].alias if bindings[-1].kind == "from" else ("", None)
        if source == module.name:
            for called, recorder in recorders.items():
                head, dot, method = called.partition(".")
                if head == attribute:
                    found[f"{name}{dot}{method}"] = recorder
        elif f"{source}.{attribute}" == module.name:
            found |= {
                f"{name}.{called}": recorder for called, recorder in recorders.items() if "." not in called
            }
    return found


def _uses(definition: _Def, recorders: Mapping[str, _Recorder]) -> Iterator[tuple[ast.expr, _Recorder]]:
    """The decorators of a definition that are recorders, and the class statement where its base has one."""
    for decorator in definition.decorator_list:
        called = _dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if called in recorders and not recorders[called].of_subclasses:
            yield decorator, recorders[called]
    for base in definition.bases if isinstance(definition, ast.ClassDef) else ():
        recorder = recorders.get(f"{_dotted(base)}.__init_subclass__")
        if recorder is not None:
            assert isinstance(definition, ast.ClassDef)
            yield ast.Call(base, [], definition.keywords), recorder


def _node_of(value: ClassV | FunctionV) -> Any:
    return value.info.node if isinstance(value, ClassV) else value.node


@lru_cache(maxsize=64)  # one file may have many tables
def _changed_anywhere(syntax: Syntax) -> list[ast.expr]:
    return list(_changed_in(syntax.nodes))


def _changed_in(nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """What has its items changed, or another put in its place."""
    for node in nodes:
        match node:
            case ast.Subscript(value=held, ctx=ast.Store() | ast.Del()):
                yield held
            case ast.Call(func=ast.Attribute(value=held, attr=method)) if method in MUTATORS:
                yield held


def _recorder(function: ast.FunctionDef, is_table: _IsTable, is_method: bool) -> _Recorder | None:
    """A function that stores what it decorates, itself or by a function in it: ``table[key] = item``."""
    given = [*function.args.posonlyargs, *function.args.args][is_method:]
    parameters = [argument.arg for argument in (*given, *function.args.kwonlyargs)]
    defaults = dict(zip(reversed([g.arg for g in given]), reversed(function.args.defaults), strict=False))
    defaults |= {
        a.arg: d
        for a, d in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
        if d is not None
    }
    receiver = function.args.args[0].arg if is_method and function.args.args else None
    for inner in _functions_in(function):
        arguments = [a.arg for a in inner.args.args]
        for statement in _statements(inner.body):
            match statement:
                case ast.Assign(targets=[ast.Subscript(value=held, slice=key)], value=ast.Name(id=item)) if (
                    is_table(held)
                ):
                    of_subclasses = function.name == "__init_subclass__"
                    if item not in arguments or (item == receiver) is not of_subclasses:
                        return None
                    read = {k: d.value for k, d in defaults.items() if isinstance(d, ast.Constant)}
                    own = tuple(p for p in parameters if inner is not function or p != item)
                    return _Recorder(own, read, item, key, of_subclasses)
    return None


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Those of a block, and of the branches in it: a key is looked for only if it was put there."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If):
            yield from _statements([*statement.body, *statement.orelse])


def _functions_in(function: ast.FunctionDef) -> Iterator[ast.FunctionDef]:
    yield function
    yield from (node for node in function.body if isinstance(node, ast.FunctionDef))


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) else ""


__all__ = ["filled", "of_class"]
