"""The statements of a class that assign an attribute: whether all of them put in something of one form."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Set
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.program.class_text import Def
from typedtorch.shapes.infer.program.index import RESHAPING, registered, reshaped
from typedtorch.shapes.syntax import walk

if TYPE_CHECKING:
    from typedtorch.shapes.infer.annotations.specs import Spec
    from typedtorch.shapes.infer.classes.classes import ClassInfo

AT_START = ("__init__", "__post_init__")
_CONTAINERS = frozenset({"list", "deque", "dict", "defaultdict", "OrderedDict"})


def remembered(ask: Callable[[ClassInfo, str], bool]) -> Callable[[ClassInfo, str], bool]:
    """Keep what is asked for each new object; while the bases of a class are looked up, more may be known."""

    def answer(info: ClassInfo, attribute: str) -> bool:
        known: bool | None = info.answers.get((ask, attribute))
        if known is None:
            known = ask(info, attribute)
            if info.is_settled:
                info.answers[ask, attribute] = known
        return known

    return answer


def stores(info: ClassInfo, attribute: str, within: Set[str] | None = None) -> Iterator[tuple[Def, ast.AST]]:
    """The statements of some methods, not the constructor, that assign an attribute, each with its method."""
    for ancestor in info.mro():
        for method in ancestor.self_stores.get(attribute, ()):
            if method not in AT_START if within is None else method in within:
                for definition in ancestor.methods[method]:
                    yield from ((definition, store) for store in _in_body(definition, attribute))


def _in_body(definition: ast.AST, attribute: str) -> list[ast.AST]:
    return _stores_in(definition).get(attribute, [])


@lru_cache(maxsize=4096)  # each attribute of a class is asked for
def _stores_in(definition: ast.AST) -> dict[str, list[ast.AST]]:
    """The statements and calls in a method that assign attributes, by their names."""
    found: dict[str, list[ast.AST]] = {}
    plain: set[int] = set()  # targets that were met as the whole of what is assigned
    for node in walk(definition):
        match node:
            case ast.Call():
                for given in {registered(node), reshaped(node)} - {None}:
                    found.setdefault(str(given), []).append(node)
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, ast.Attribute):
                        plain.add(id(target))
                        found.setdefault(target.attr, []).append(node)
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()) if id(node) not in plain:
                # one of several targets, a loop variable, deleted: it may be anything
                found.setdefault(name, []).append(node)
    return found


def displayed(info: ClassInfo, attribute: str) -> bool:
    """Whether an attribute is only ever assigned a list or dict that is written there, of lasting tensors."""
    if any(RESHAPING & i.module.facts(i.module.tree).called for i in info.mro()):
        return False
    return all(
        _assigns_displays(definition, attribute)
        for ancestor in info.mro()
        for method in ancestor.self_stores.get(attribute, ())
        for definition in ancestor.methods[method]
    )


@lru_cache(maxsize=4096)  # a class is made many times
def _assigns_displays(definition: Def, attribute: str) -> bool:
    return all(
        isinstance(getattr(store, "value", None), (ast.Dict, ast.List, ast.DictComp, ast.ListComp))
        for store in _in_body(definition, attribute)
    )


@remembered
def made_anew(info: ClassInfo, attribute: str) -> bool:
    """Whether an attribute is only ever assigned a list, deque or dict that nobody else has."""
    return not _holds_objects(info.spec(attribute)) and all(
        isinstance(store, (ast.Assign, ast.AnnAssign)) and _is_new_container(store.value)
        for ancestor in info.mro()
        for method in ancestor.self_stores.get(attribute, ())
        for definition in ancestor.methods[method]
        for store in _in_body(definition, attribute)
    )


def _is_new_container(node: ast.expr | None) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _CONTAINERS
    return isinstance(node, (ast.List, ast.ListComp, ast.Dict, ast.DictComp))


def _holds_objects(spec: Spec | None) -> bool:
    """Whether an annotation says that a list or dict holds objects, which may be changed through others."""
    match spec:
        case specs.SequenceSpec(element=inner) | specs.DictSpec(value=inner):
            return _holds_objects(inner)
        case specs.TupleSpec(items=options) | specs.UnionSpec(options=options):
            return any(map(_holds_objects, options))
    return isinstance(spec, specs.InstanceSpec) and not spec.info.kind.is_named_tuple


__all__ = ["AT_START", "displayed", "made_anew", "remembered", "stores"]
