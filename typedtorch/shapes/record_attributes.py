"""Attributes that no object of a dataclass or named tuple has, where the class stands in the same source.

``cfg.n_head`` of a parameter ``cfg: Config``, or of the ``self.cfg`` that a constructor was given as one.
Whoever runs mypy is told by it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from typedtorch.shapes.assigned_elsewhere import is_among, is_self
from typedtorch.shapes.module_facts import ClassFacts, SourceFacts, is_harmless, opens
from typedtorch.shapes.module_uses import position
from typedtorch.shapes.syntax import dotted, walk

Def = ast.FunctionDef | ast.AsyncFunctionDef
Records = Mapping[str, frozenset[str]]  # what each class has
_OF_TUPLES = frozenset({"count", "index"})


def missing_of_records(source: SourceFacts) -> Iterator[tuple[ast.Attribute, ClassFacts, frozenset[str]]]:
    """What is read and not there, with the class and the names that it has.

    What another record has may be meant: an annotation that names one of several runs with each.
    """
    records = {name: known for name in source.classes if (known := _names(source, name)) is not None}
    everywhere = frozenset[str]().union(*records.values())
    for node, name in [*_of_parameters(source, records), *_of_kept(source, records)] if records else ():
        given = everywhere.union(*(below.defined for below in source.subclasses(name)))
        there = is_among(node.attr, given) or node.attr.startswith("_") or node.attr in _OF_TUPLES
        if not there and position(node) not in source.forgiven:
            yield node, source.classes[name], records[name]


def _names(source: SourceFacts, name: str) -> frozenset[str] | None:
    """Every name that an object of a record has; None where the source does not show it to be one."""
    family: list[ClassFacts] = []
    waiting, is_record = [name], False
    while waiting:
        facts = source.classes.get(waiting.pop())
        if facts is None or facts in family:
            return None
        family.append(facts)
        is_record |= any(_last(d) == "dataclass" for d in facts.node.decorator_list)
        for base in facts.bases:
            if base.rpartition(".")[2] == "NamedTuple":
                is_record = True
            elif base not in ("object", "Generic"):
                waiting.append(base)
    if not is_record or not all(map(_is_closed, (*family, *source.subclasses(name)))):
        return None
    return frozenset[str]().union(*(facts.defined for facts in family))


def _is_closed(facts: ClassFacts) -> bool:
    """Whether a class's objects have what its source names, and nothing else."""
    decorated = all(_last(d) == "dataclass" or is_harmless(d) for d in facts.node.decorator_list)
    return decorated and not (facts.node.keywords or facts.unfinished or any(map(opens, facts.nodes)))


def _last(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (dotted(called) or "").rpartition(".")[2]


def _class_of(annotation: ast.expr | None) -> str | None:
    """The name of a class, where an annotation is nothing else."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value
    return annotation.id if isinstance(annotation, ast.Name) else None


def _of_parameters(source: SourceFacts, records: Records) -> Iterator[tuple[ast.Attribute, str]]:
    """Reads of a parameter that is a record from beginning to end."""
    for node in source.syntax.nodes:
        if not isinstance(node, Def) or not (kinds := _annotated(node, records)):
            continue
        parts = [part for statement in node.body for part in walk(statement)]  # a decorator reads another
        arguments = [a.arg for a in walk(node) if isinstance(a, ast.arg)]
        stored = {n.id for n in parts if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        stored |= {n.id for part in parts for n in _asked(part) if isinstance(n, ast.Name)}
        for part in parts:
            match part:
                case ast.Attribute(value=ast.Name(id=name), ctx=ast.Load()) if name in kinds:
                    if name not in stored and arguments.count(name) == 1:
                        yield part, kinds[name]


def _asked(node: ast.AST) -> list[ast.AST]:
    """What a test is about that may tell an object to be of another class, or what fills its ``vars``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ASKING:
        return walk(node)
    return walk(node.subject) if isinstance(node, ast.Match) else []


_ASKING = frozenset({"isinstance", "issubclass", "type", "vars"})


def _annotated(node: Def, records: Records) -> dict[str, str]:
    """The parameters of a function that are records, with the class of each."""
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    kinds = ((argument.arg, _class_of(argument.annotation)) for argument in arguments)
    return {name: kind for name, kind in kinds if kind is not None and kind in records}


def _of_kept(source: SourceFacts, records: Records) -> Iterator[tuple[ast.Attribute, str]]:
    """Reads of ``self.cfg.n_head``, where the constructor alone sets ``self.cfg`` to a parameter."""
    for facts in source.classes.values():
        kept = _kept(facts, records)
        if not kept:
            continue
        above = [source.classes[base] for base in facts.bases if base in source.classes]
        asked = {n.attr for part in facts.nodes for n in _asked(part) if isinstance(n, ast.Attribute)}
        set_by = [
            asked,
            facts.outside,
            *(other.defined for other in (*above, *source.subclasses(facts.name))),
        ]
        for part in facts.nodes:
            match part:
                case ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=held), ctx=ast.Load()):
                    if held in kept and not any(held in names for names in set_by):
                        yield part, kept[held]


def _kept(facts: ClassFacts, records: Records) -> dict[str, str]:
    """Attributes that are set once, to a record that the constructor is given, with the class of each."""
    found = {}
    for node in facts.node.body:
        if not isinstance(node, ast.FunctionDef) or node.name != "__init__":
            continue
        kinds = _annotated(node, records)
        for part in node.body:
            match part:
                case ast.Assign(targets=[ast.Attribute(value=owner, attr=held)], value=ast.Name(id=name)):
                    if is_self(owner) and name in kinds and facts.assigned[held] == 1:
                        found[held] = kinds[name]
    return found


__all__ = ["missing_of_records"]
