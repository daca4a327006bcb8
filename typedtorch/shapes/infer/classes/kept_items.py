"""Lists that an object starts empty and its methods fill: what each item is, whenever it is looked at.

``self.seen = []`` in the constructor and ``self.seen.append(x.mean(1))`` in a method: wherever the list is
read each item has as many axes as ``x.mean(1)``.  How long they are is each item's own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from typedtorch.shapes.assigned_elsewhere import is_self
from typedtorch.shapes.dtypes import FLOATING
from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.classes.attribute_stores import AT_START, made_anew
from typedtorch.shapes.infer.frame import Reporter
from typedtorch.shapes.infer.program.class_text import Def
from typedtorch.shapes.infer.values.values import UNKNOWN, Instance, Sequence, Tensor, Value, join_all
from typedtorch.shapes.size import unknown
from typedtorch.shapes.syntax import dotted, walk
from typedtorch.shapes.tensor import Pack

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes.classes import ClassInfo
    from typedtorch.shapes.infer.interpreter import Interpreter
    from typedtorch.shapes.infer.program.program import Module

_KINDS = ("list", "deque")
_CHANGING = frozenset({"append", "clear", "pop", "popleft"})
# what looks at the items of a list, and gives it to nobody
_READING = frozenset(
    {
        "stack", "cat", "concat", "concatenate", "vstack", "hstack", "array", "pad_sequence", "sample",
        "len", "list", "tuple", "sum", "zip", "enumerate", "reversed", "iter", "max", "min", "bool",
    }
)  # fmt: skip


def find(interpreter: Interpreter, made: Instance, lasting: Instance) -> dict[str, Sequence]:
    """Such attributes, with what is certain of them later.

    Args:
        made: an object as its constructor leaves it.
        lasting: what is certain of it later by other means.
    """
    found = {}
    for name, value in made.attributes.items():
        empty = isinstance(value, Sequence) and value.kind in _KINDS and value.items == ()
        if not empty or name in lasting.attributes or not _is_open(made.info, name):
            continue
        assert isinstance(value, Sequence)
        each = _item(interpreter, replace(lasting, attributes={**lasting.attributes, name: value}), name)
        if each is not UNKNOWN:
            found[name] = Sequence(value.kind, None, each)
    return found


def with_fields(interpreter: Interpreter, lasting: Instance) -> Instance:
    """A dataclass with what its methods put into lists that begin as ``field(default_factory=list)``."""
    info, found = lasting.info, dict[str, Value]()
    for name in info.fields() if info.fills is None else ():
        kind = _factory(info, name)
        if kind is None or _is_shaped(info.spec(name)) or not _is_open(info, name):
            continue
        trial = replace(lasting, attributes={**lasting.attributes, name: Sequence(kind, ())})
        each = _item(interpreter, trial, name) if _changing(info, name) else UNKNOWN
        if each is not UNKNOWN:
            found[name] = Sequence(kind, None, each)
    info.fills = found
    return replace(lasting, attributes={**lasting.attributes, **found}) if found else lasting


def _factory(info: ClassInfo, name: str) -> str | None:
    """What ``field(default_factory=...)`` makes, where it is an empty list or deque."""
    match next((i.assigned[name] for i in info.mro() if name in i.assigned), None):
        case ast.Call(func=called, keywords=keywords) if (dotted(called) or "").endswith("field"):
            given = {k.arg: k.value for k in keywords}.get("default_factory")
            if isinstance(given, ast.Lambda) and isinstance(given.body, ast.Call) and not given.body.args:
                given = given.body.func
            made = None if given is None else (dotted(given) or "").rpartition(".")[2]
            return made if made in _KINDS else None
    return None


def _is_shaped(spec: specs.Spec | None) -> bool:
    """Whether an annotation says more of the items than what is put in: ``list[Float[Tensor, "n d"]]``."""
    return spec is not None and specs.shaped(spec)


def _item(interpreter: Interpreter, trial: Instance, name: str) -> Value:
    """What the methods of an object put into one of its lists, which is empty when they begin."""
    from typedtorch.shapes.infer.checking import ends  # noqa: PLC0415 - it makes instances, which asks this file

    info, items = trial.info, list[Value]()
    for method in _changing(info, name):
        function = info.as_function(method, trial)
        if function is None or function.bound is not trial or isinstance(function.node, ast.Lambda):
            return UNKNOWN
        own = [*function.node.args.posonlyargs, *function.node.args.args]
        left = ends(interpreter, function, info, Reporter(function.module.path, counting=False))
        if left is None:
            return UNKNOWN
        for state in left:
            now = state.variables.get(own[0].arg) if own else UNKNOWN
            held = now.attributes.get(name) if isinstance(now, Instance) else None
            if not isinstance(held, Sequence):
                return UNKNOWN
            items += [] if held.items == () else [held.any_item]
    return _of_any_size(join_all(items, name)) if items else UNKNOWN


def _changing(info: ClassInfo, name: str) -> list[str]:
    """The methods that put another list in place of an attribute, or change its items."""
    methods = set[str]()
    for ancestor in info.mro():
        methods |= ancestor.self_stores.get(name, set()) | ancestor.self_changes.get(name, set())
    return sorted(methods.difference(AT_START))


def _of_any_size(value: Value) -> Value:
    """A tensor with as many axes, or a tuple of some; a number of the program is the same for all items."""
    if type(value) is tuple:
        parts = tuple(map(_of_any_size, value))
        return parts if any(part is not UNKNOWN for part in parts) else UNKNOWN
    if not isinstance(value, Tensor) or any(isinstance(entry, Pack) for entry in value.shape):
        return UNKNOWN
    shape = tuple(entry if isinstance(entry, int) else unknown() for entry in value.shape)
    return value.of(shape, value.dtype | FLOATING if value.dtype & FLOATING else value.dtype)


def _is_open(info: ClassInfo, name: str) -> bool:
    """Whether all that is done with an attribute in its files is seen: nobody else holds the list."""
    if not made_anew(info, name) or any(name in i.module.facts(i.module.tree).given for i in info.mro()):
        return False
    bodies = [definition for i in info.mro() for found in i.methods.values() for definition in found]
    changed = {id(held) for body in bodies for node in _own_nodes(body) for held in _changed(node, name)}
    for module in {id(i.module): i.module for i in info.mro()}.values():
        fine = changed.union(id(held) for node in module.syntax.nodes for held in _read(node))
        fine.update(_of_others(module, {i.name for i in info.mro()}))
        reads = [n for n in module.syntax.nodes if isinstance(n, ast.Attribute) and n.attr == name]
        if any(isinstance(node.ctx, ast.Load) and id(node) not in fine for node in reads):
            return False
    return True


def _of_others(module: Module, own: set[str]) -> Iterator[int]:
    """The attributes of ``self`` in classes that have nothing to do with these."""
    related = set(own)
    for node in module.syntax.nodes:
        if not isinstance(node, ast.ClassDef):
            continue
        if node.name in related or any(
            (dotted(base) or "").rpartition(".")[2] in related for base in node.bases
        ):
            related.add(node.name)
        else:
            yield from (id(n) for n in walk(node) if isinstance(n, ast.Attribute) and is_self(n.value))


def _own_nodes(definition: Def) -> Iterator[ast.AST]:
    """The nodes of a body, without those of functions in it, which run at another time."""
    pending: list[ast.AST] = list(definition.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            pending += ast.iter_child_nodes(node)


def _changed(node: ast.AST, name: str) -> Iterator[ast.expr]:
    """``self.name`` of ``self.name.append(x)``."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(value=ast.Name(), attr=attr) as held, attr=method)
        ):
            if attr == name and method in _CHANGING:
                yield held


def _read(node: ast.AST) -> Iterable[ast.expr]:
    """The lists that an expression or statement only looks at."""
    match node:
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=args):
            return args if called in _READING else ()
        case ast.For(iter=held) | ast.comprehension(iter=held) | ast.UnaryOp(op=ast.Not(), operand=held):
            return (held,)
        case ast.Subscript(value=held, ctx=ast.Load()):
            return (held,)
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) | ast.Assert(test=test):
            return test.values if isinstance(test, ast.BoolOp) else (test,)
    return ()


__all__ = ["find", "with_fields"]
