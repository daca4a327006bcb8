"""What a class statement says: the members of its body, and what its methods do to attributes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.classes.classes import ClassInfo
from typedtorch.shapes.infer.program.class_text import (
    Def,
    held_under,
    helpers_of,
)
from typedtorch.shapes.infer.values.values import (
    Value,
)
from typedtorch.shapes.syntax import walk

if TYPE_CHECKING:
    from typedtorch.shapes.infer.program.program import Module


def collect(node: ast.ClassDef, module: Module, closure: dict[str, Value]) -> ClassInfo:
    """Read a class statement."""
    info = ClassInfo(node, module, closure)
    _collect_body(info, node.body)
    for definitions in info.methods.values():
        for definition in definitions:
            _collect_facts(info, definition)
    return info


def _collect_facts(info: ClassInfo, definition: Def) -> None:
    """What a method says of the attributes of its instance; a constructor, whom it asks for help."""
    facts = info.module.facts(definition)
    arguments = [*definition.args.posonlyargs, *definition.args.args]
    receiver = arguments[0].arg if arguments else ""
    for name, attribute in facts.stored:
        if name == receiver:
            info.self_stores.setdefault(attribute, set()).add(definition.name)
    for name, attribute in facts.within:
        if name == receiver:
            info.self_within.setdefault(attribute, set()).add(definition.name)
    for attribute in facts.changed_attributes.union(held_under(definition, receiver, facts.changed_names)):
        info.self_changes.setdefault(attribute, set()).add(definition.name)
    if definition.name in ("__init__", "__post_init__"):
        info.helpers |= helpers_of(definition, receiver)


def _is_of_environment(test: ast.expr) -> bool:
    """Whether a condition asks where a class is used, or by which version: it means the same either way."""
    return not _ENVIRONMENT.isdisjoint({getattr(n, "id", getattr(n, "attr", "")) for n in walk(test)})


_ENVIRONMENT = frozenset({"TYPE_CHECKING", "version_info", "platform", "hasattr"})


def _functions(body: list[ast.stmt]) -> set[str]:
    return {s.name for s in body if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))}


def _collect_body(info: ClassInfo, body: list[ast.stmt]) -> None:
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                info.methods.setdefault(name, []).append(statement)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                info.assigned[name] = value
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pairs = zip(targets, values, strict=False) if len(targets) == len(values) else ()
                info.assigned.update((target.id, v) for target, v in pairs if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                info.annotated[name] = annotation
                if value is not None:
                    info.assigned[name] = value
            case ast.ClassDef(name=name):
                info.classes[name] = statement
            case ast.If(test=test, body=inner, orelse=orelse):
                if not _is_of_environment(test):
                    info.alternatives |= _functions(inner) & _functions(orelse)
                _collect_body(info, orelse)
                _collect_body(info, inner)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case _:
                _forget(info, statement)


def _forget(info: ClassInfo, statement: ast.stmt) -> None:
    """``TABLE["all"] = ...``, ``TABLE.update(...)``, a loop: what it may change is not what was assigned."""
    changed = statement.targets if isinstance(statement, ast.Assign) else [statement]
    for node in (inner for part in changed for inner in walk(part)):
        if isinstance(node, ast.Name) and node.id in info.assigned:
            info.assigned[node.id] = ast.copy_location(ast.Name(_NOBODY, ast.Load()), statement)


_NOBODY = ""  # a name that nothing has: its value is unknown
