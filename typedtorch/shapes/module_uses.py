"""Where the more exact class of a container's item can do no harm.

``for layer in self.blocks`` makes mypy infer the type of ``layer`` for the whole function.  A second loop may
give the same name items of another class; then ``Module`` is what fits both, and the exact class would make
mypy complain of a correct program.  The same holds for names bound to ``self.blocks[0]``, and for lists.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from typedtorch.shapes.syntax import Syntax, walk

Position = tuple[int, int]
_USES = frozenset({ast.For, ast.Assign, ast.comprehension, ast.Call, ast.Attribute})
_PASSES_ITEMS = {"enumerate", "zip", "reversed"}
# Methods and functions that put what they are given into what is there.
FILLS = frozenset(
    {"append", "extend", "insert", "add", "setdefault", "update", "appendleft", "extendleft", "put"}
    | {"put_nowait", "heappush", "heappushpop", "heapreplace", "insort", "insort_left", "insort_right"}
)


def harmless_places(syntax: Syntax) -> frozenset[Position]:
    """Line and column of each iterated, indexed or passed-on expression whose items may be typed exactly.

    >>> one = Syntax(ast.parse("def f(self):\\n for b in self.a: b(x)"))
    >>> two = Syntax(ast.parse("def f(self):\\n for b in self.a: b(x)\\n for b in self.c: b(x)"))
    >>> len(harmless_places(one)), len(harmless_places(two))
    (1, 0)
    """
    return frozenset(position(node) for nodes in syntax.scopes.values() for node in _harmless_in(nodes))


def first_of_several(syntax: Syntax) -> frozenset[Position]:
    """Attributes that stand where other values come later, in a list or in a name that is bound again.

    >>> first_of_several(Syntax(ast.parse("a = self.gain\\na = a.exp()\\nb = self.gain")))
    frozenset({(1, 4)})
    """
    kept = (value for nodes in syntax.scopes.values() for value in _kept(nodes))
    return frozenset(position(value) for value in kept if isinstance(value, ast.Attribute))


def position(node: ast.expr) -> Position:
    """Line and column, to tell expressions of a file apart."""
    return (node.lineno, node.col_offset)


def _harmless_in(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    stored: dict[str, set[str]] = {}
    bindings: list[tuple[list[str], ast.expr]] = []
    kept = [part for value in _kept(nodes) for part in _wholes(value)]
    operated_on = {id(whole) for node in nodes for whole in _operated_on(node)} | {*map(id, kept)}
    taken: set[int] = set()  # names bound by a loop or an assignment that is looked at below
    for node in nodes:
        if type(node) not in _USES:
            continue
        match node:
            case ast.For(target=target, iter=iterated):
                bindings.append((_item_names(target, iterated), iterated))
                taken.update(id(n) for n in walk(target))
            case ast.Assign(targets=[ast.Name(id=name) as target], value=ast.Subscript() as value):
                bindings.append(([name], value))
                taken.add(id(target))
            case ast.comprehension(target=target, iter=iterated):
                taken.update(id(n) for n in walk(target))
            case ast.Call(func=ast.Subscript() as used):
                yield used
            case ast.Attribute(value=ast.Subscript() as used) if id(used) not in operated_on:
                yield used
    for names, bound in bindings:
        for name in names:
            stored.setdefault(name, set()).add(ast.dump(bound))
    others = {
        n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and id(n) not in taken
    }
    others |= {part.id for node in nodes for part in _operated_on(node) if isinstance(part, ast.Name)}
    others |= {part.id for part in kept if isinstance(part, ast.Name)}
    for names, bound in bindings:
        if all(len(stored[name]) == 1 and name not in others for name in names):
            yield bound
            yield from _passed_on(bound)
    yield from _in_comprehensions(nodes)


def _operated_on(node: ast.AST) -> Iterator[ast.expr]:
    """``block`` and ``block.attn`` of ``block.attn.qkv = LoRA(...)``: a part is replaced by another."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield from _wholes(node.value)


def _kept(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    """Values that others may join, in a list, or take the place of: in an attribute, a name bound again."""
    stores = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    for node in nodes:
        match node:
            case ast.List(elts=values, ctx=ast.Load()) | ast.Set(elts=values) | ast.Dict(values=values):
                yield from values
            case ast.Call(func=ast.Attribute(attr=method) | ast.Name(id=method)) if method in FILLS:
                yield from node.args
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()], value=value):
                yield value
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if stores[name] > 1:
                yield value


def _wholes(value: ast.expr) -> Iterator[ast.expr]:
    """A value and what it is a part of; of a tuple its items."""
    if isinstance(value, ast.Tuple):
        for item in value.elts:
            yield from _wholes(item)
    yield value
    while isinstance(value, ast.Attribute | ast.Subscript):
        value = value.value
        yield value


def _item_names(target: ast.expr, iterated: ast.expr) -> list[str]:
    """The names that items are bound to; of ``enumerate`` the number does not matter."""
    if _is_call(iterated, {"enumerate"}) and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        target = target.elts[1]
    return [node.id for node in walk(target) if isinstance(node, ast.Name)]


def _in_comprehensions(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    """A comprehension's names are its own; only a list of the items themselves would differ in type.

    So would one of parts of them, where it is filled with others later on.
    """
    begun = {id(value) for value in _begun(nodes)}
    for node in nodes:
        if not isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            continue
        if isinstance(node.elt, ast.Call | ast.BinOp) or (
            isinstance(node.elt, ast.Attribute) and id(node) not in begun
        ):
            for generator in node.generators:
                yield generator.iter
                yield from _passed_on(generator.iter)


def _begun(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    """What names are bound to whose lists are added to."""
    filled = set[str]()
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in FILLS:
                filled.add(name)
            case ast.AugAssign(target=ast.Name(id=name)):
                filled.add(name)
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in filled:
                yield value


def _passed_on(node: ast.expr) -> Iterator[ast.expr]:
    """Arguments of ``enumerate`` and its like; of a ``zip`` in them mypy infers the types a second time.

    So it does of what is ``reversed`` in them, asking for a list of those items.
    """
    if _is_call(node, _PASSES_ITEMS):
        assert isinstance(node, ast.Call)
        yield from (argument for argument in node.args if not _is_call(argument, {"zip", "reversed"}))


def _is_call(node: ast.expr, names: set[str]) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
