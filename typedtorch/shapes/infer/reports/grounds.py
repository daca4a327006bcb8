"""What a finding rests on: the sizes that clash, what takes part, and the calls that lead to it.

Two findings that rest on the same are one fault, told once (``told_once.py``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.values.values import DictV, Instance, Sequence, Tensor
from typedtorch.shapes.syntax import walk

if TYPE_CHECKING:
    from typedtorch.shapes.infer.frame import Frame
    from typedtorch.shapes.size import Size


@dataclass(frozen=True, slots=True)
class Step:
    """A body that a call leads into, and the place there that leads on or is wrong."""

    path: str
    begins: int  # the line of its ``def``
    line: int
    column: int
    annotated: bool  # its arguments fit what it promises to take: what is wrong is not the call


@dataclass(frozen=True, slots=True)
class Ground:
    """What one finding rests on."""

    clash: frozenset[str] = frozenset()  # the two sizes that should be one, or what else contradicts
    names: frozenset[str] = frozenset()  # variables, each with its function, and attributes of a class
    steps: tuple[Step, ...] = ()  # from a call inwards
    called: int = 0  # the line of a call that showed what any call would

    def __or__(self, names: Iterable[str]) -> Ground:
        """The same with more that takes part."""
        return Ground(self.clash, self.names.union(names), self.steps, self.called)


def ground(frame: Frame, nodes: Iterable[ast.AST | None], clash: Iterable[Size | str]) -> Ground:
    """What a finding about some expressions of a body rests on."""
    names = frozenset(name for node in nodes if node is not None for name in taking_part(frame, node))
    return Ground(frozenset(map(str, clash)), names)


def written_in(frame: Frame, nodes: Iterable[ast.AST]) -> set[str]:
    """The variables that stand in some expressions, parameters too."""
    place = 0 if frame.function is None else frame.function.node.lineno
    names = {name for node in nodes for name in _names(node) if "." not in name}
    return {f"{place}:{name}" for name in names if _may_be_wrong(frame, name)}


def taking_part(frame: Frame, node: ast.AST) -> set[str]:
    """The variables of a body in an expression and what they were made from, and attributes of objects."""
    function = None if frame.function is None else frame.function.node
    makers = _makers(frame.module.tree if function is None else function)
    place = 0 if function is None else function.lineno
    found: set[str] = set()
    rest, seen = list(_names(node)), set[str]()
    while rest:
        name = rest.pop()
        if name in seen:
            continue
        seen.add(name)
        base, _, attribute = name.partition(".")
        if attribute:
            holder = frame.state.variables.get(base) if frame.state else None
            if isinstance(holder, Instance) and _is_made_once(holder, attribute):
                found.add(f"{holder.info.node.name}.{attribute}")
        elif name in makers and _may_be_wrong(frame, name):
            found.add(f"{place}:{name}")
            rest.extend(makers[name])
    return found


def _is_made_once(holder: Instance, attribute: str) -> bool:
    """Whether an object has an attribute from its constructor alone: it is the same in every method."""
    return all(i.self_stores.get(attribute, {"__init__"}) == {"__init__"} for i in holder.info.mro()) and any(
        attribute in i.self_stores for i in holder.info.mro()
    )


def _may_be_wrong(frame: Frame, name: str) -> bool:
    """Whether a variable holds tensors: a number that many are made from is not what is wrong."""
    value = frame.state.variables.get(name) if frame.state else None
    return isinstance(value, (Tensor, DictV, Sequence, Instance, tuple))


def _names(node: ast.AST) -> Iterator[str]:
    """``x`` and ``self.net`` in an expression; of a call the function's own name takes no part."""
    called = {id(n.func) for n in walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    for part in walk(node):
        if isinstance(part, ast.Name) and id(part) not in called:
            yield part.id
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            yield f"{part.value.id}.{part.attr}"


@lru_cache(maxsize=64)
def _makers(body: ast.AST) -> dict[str, set[str]]:
    """Of each variable that a body assigns: what stands in the expressions that it is made from."""
    found: dict[str, set[str]] = {}
    for node in walk(body):
        targets, value = _assigned(node)
        if value is None:
            continue
        names = set(_names(value))
        for target in targets:
            for name in walk(target):
                if isinstance(name, ast.Name):
                    found.setdefault(name.id, set()).update(names)
    return found


def _assigned(node: ast.AST) -> tuple[list[ast.expr], ast.expr | None]:
    match node:
        case ast.Assign(targets=targets, value=value):
            return targets, value
        case ast.AnnAssign(target=target, value=value) | ast.AugAssign(target=target, value=value):
            return [target], value
        case ast.NamedExpr(target=target, value=value):
            return [target], value
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            return [target], value
    return [], None


def written(text: str) -> ast.expr | None:
    """An expression from its text; None where it was shortened."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return None


__all__ = ["Ground", "Step", "ground", "taking_part", "written", "written_in"]
