"""Where the result of a module call is kept under a name that holds other things too.

Without types for ``self.layer(x)`` mypy calls its result Any, and a program may bind one name to it and to a
list, or to None, in turn.  With them mypy would settle on the first and complain of the rest.  Where the
source shows that a result is kept beside values of other kinds, it is better left as it was.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Literal

from typedtorch.shapes.doubtful_names import (
    beside_none,
    combined,
    gathered,
    gone_through,
    keyed,
    marked,
    none_names,
)
from typedtorch.shapes.kept_values import (
    HOLDERS,
    OTHER_METHODS,
    Item,
    Part,
    Rest,
    calls,
    cast_values,
    collected,
    displayed,
    filled,
    filling,
    result_names,
    stored_values,
    tensor_like,
)
from typedtorch.shapes.module_uses import Position, position
from typedtorch.shapes.syntax import Syntax, dotted, walk

# Harmless as long as it is one tensor, or several where parts of it are unpacked, or no dict of known keys;
# or what it holds left unknown, or all of it.  Of a result that is unpacked itself only those parts need to
# be tensors whose names hold other things later.
Keep = Literal["tensor", "tensors", "no keys", "no items", "any"] | tuple[Part, ...]

# Kinds of nodes that bind names, and that hold values beside others: most nodes are neither.
_BINDERS = frozenset(
    {ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign, ast.For, ast.AsyncFor, ast.withitem}
    | {ast.ExceptHandler, ast.FunctionDef, ast.ClassDef, ast.alias}
)
_OPERATORS = frozenset({ast.BinOp, ast.Compare})
_ASK = frozenset({"torch", "reveal_type"})  # they want no dict or list of other items
Binding = tuple[list[str], ast.expr | None]  # names bound together, and to what


def kept_results(syntax: Syntax) -> dict[Position, Keep]:
    """For each call whose result stays somewhere among other values: what may be said of it.

    >>> mixed = ast.parse("def f(self, x):\\n y = self.a(x)\\n y = [y]")
    >>> list(kept_results(Syntax(mixed)).values())
    ['any']
    >>> kept_results(Syntax(ast.parse("def f(self, x):\\n y = self.a(x)\\n return -y")))
    {}
    """
    found: dict[Position, Keep] = {}
    known = _Known.of(syntax)
    nothing = frozenset(none_names(syntax))
    for scope, nodes in syntax.scopes.items():
        operators = [node for node in nodes if type(node) in _OPERATORS] if nothing else []
        beside = [part for node in operators for part in beside_none(node, nothing)]
        for value, keep in _in_scope(scope, nodes, beside, known):
            for call in calls(value):
                if found.get(position(call)) != "any":
                    parts_of_it = isinstance(value, Item) and call is value.value
                    found[position(call)] = keep if isinstance(keep, str) or parts_of_it else "tensors"
    return found


@dataclass(frozen=True, slots=True)
class _Known:
    """Names that mean something in all of a source."""

    nonlocal_: frozenset[str]
    functions: frozenset[str]
    of_torch: frozenset[str]
    outer: dict[str, list[ast.expr | None]]  # outside of all functions, and what they are bound to

    @classmethod
    def of(cls, syntax: Syntax) -> _Known:
        return cls(
            frozenset(name for node in syntax.nodes if isinstance(node, ast.Nonlocal) for name in node.names),
            frozenset(node.name for node in syntax.nodes if isinstance(node, ast.FunctionDef)) - {"forward"},
            frozenset(_from_torch(syntax)),
            _by_name(list(bindings(syntax.scopes.get(syntax.tree, [])))),
        )


def _by_name(bound: list[Binding]) -> dict[str, list[ast.expr | None]]:
    found: dict[str, list[ast.expr | None]] = {}
    for names, value in bound:
        for name in names:
            found.setdefault(name, []).append(value)
    return found


def _in_scope(
    scope: ast.AST, nodes: list[ast.AST], beside: list[ast.expr], known: _Known
) -> Iterator[tuple[ast.expr, Keep]]:
    declared = _declared(scope, nodes)
    holders = [node for node in nodes if type(node) in HOLDERS]
    bound_here = list(bindings(nodes))
    bound = _by_name(bound_here)
    stored = [*beside, *(value for node in holders for value in (*stored_values(node), *cast_values(node)))]
    stored += [item for _, value in bound_here for item in displayed(value)]
    stored += filling(nodes, known.outer | bound)
    called = known.of_torch | _parameters(scope) | bound.keys() - known.functions  # modules, or of torch
    mixed = {
        n for n, values in bound.items() if len(values) > 1 and not _alike(values, known.functions, called)
    }
    mixed |= (
        gathered(scope) | known.nonlocal_ | marked(nodes) | combined(nodes) | gone_through(nodes)
    ) & bound.keys()
    mixed |= {name for value in stored for name in result_names(value)} - declared
    mixed = _with_sources(mixed, bound_here, declared)
    for name in keyed(nodes) & bound.keys():
        yield from ((value, "no keys") for value in bound[name] if value is not None)
    for name in _filled_with_others(nodes, bound_here, known.functions, called):
        yield from ((value, "no items") for value in bound.get(name, ()) if value is not None)
    yield from ((value, "no items") for value in _handed_on(nodes, bound, known.of_torch))
    for names, value in bound_here:
        if value is None:
            continue
        if not (mixed | declared).isdisjoint(names) or _is_tuple_of_parts(names, value):
            yield value, "any"  # what is bound to a declared name has the declared type anyway
        elif any(len(bound[name]) > 1 for name in names):
            yield value, _changing(value, bound) if isinstance(value, Item) else "tensor"
    yield from ((value, "any") for value in beside)
    yield from (
        (value, "any")
        for node in holders
        for value in (*stored_values(node), *collected(node), *cast_values(node))
    )


def _filled_with_others(
    nodes: list[ast.AST], bound: list[Binding], functions: Set[str], called: Set[str]
) -> set[str]:
    """Names of lists and dicts into which a program puts what may be no tensors, and other names of these."""
    names = {name for name, value in filled(nodes) if not _surely_tensor(value, functions, called)}
    same = {value.id for others, value in bound if isinstance(value, ast.Name) and names & set(others)}
    return names | same


def _handed_on(
    nodes: list[ast.AST], bound: dict[str, list[ast.expr | None]], of_torch: Set[str]
) -> Iterator[ast.expr]:
    """What a program gives to its functions, or returns: there a ``dict[str, object]`` may be wanted."""
    for node in nodes:
        match node:
            case ast.Call(func=function, args=arguments, keywords=keywords):
                root = (dotted(function) or "").partition(".")[0]
                if root in of_torch or root in _ASK or hasattr(builtins, root):
                    continue
                given = [*arguments, *(keyword.value for keyword in keywords)]
            case ast.Return(value=ast.Tuple(elts=given)):
                pass
            case ast.Return(value=ast.expr() as value):
                given = [value]
            case _:
                continue
        for value in given:
            if isinstance(value, ast.Name):
                yield from (source for source in bound.get(value.id, ()) if source is not None)
            elif isinstance(value, ast.Call):
                yield value


def rebound_names(syntax: Syntax) -> frozenset[Position]:
    """Each use of a local name that is bound more than once: mypy knows its type by the first binding.

    >>> len(rebound_names(Syntax(ast.parse("def f(x, y):\\n x = g(x)\\n return x, y"))))
    2
    """
    found = set()
    for scope, nodes in syntax.scopes.items():
        counts = Counter(name for names, _ in bindings(nodes) for name in names)
        counts.update(_parameters(scope))
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and counts[node.id] > 1:
                found.add(position(node))
    return frozenset(found)


def returned_calls(syntax: Syntax) -> frozenset[Position]:
    """Calls whose results, or parts of them, a function returns at once."""
    values = [node.value for node in syntax.nodes if isinstance(node, ast.Return) and node.value]
    return frozenset(position(call) for value in values for call in calls(value))


def _changing(value: Item, bound: dict[str, list[ast.expr | None]]) -> tuple[Part, ...]:
    """Where the names stand that are bound again: but to the same part of what the same module returns."""
    found = []
    for name, part in value.parts.items():
        same = ast.dump(value.value.func) if isinstance(value.value, ast.Call) else ""
        if not all(_is_part(other, name, part, same) for other in bound[name]):
            found.append(part)
    return tuple(found)


def _is_part(value: ast.expr | None, name: str, part: Part, maker: str) -> bool:
    if not isinstance(value, Item) or not isinstance(value.value, ast.Call):
        return False
    return value.parts.get(name) == part and ast.dump(value.value.func) == maker


def _with_sources(mixed: set[str], bound: list[Binding], declared: set[str]) -> set[str]:
    """With the names whose values end up in these: of ``total = loss.mean()`` also ``loss``."""
    while True:
        more = {
            source
            for names, value in bound
            if value is not None and not mixed.isdisjoint(names)
            for source in result_names(value)
        }
        if more - declared <= mixed:
            return mixed
        mixed = mixed | (more - declared)


def _is_tuple_of_parts(names: list[str], value: ast.expr) -> bool:
    """``parts = x.split(2)``: a tuple by itself, often made a list later on."""
    return isinstance(value, ast.Call) and len(names) == 1 and not tensor_like(value)


def _declared(scope: ast.AST, nodes: list[ast.AST]) -> set[str]:
    """Parameters and annotated names: mypy holds what they are bound to against their type."""
    names = {n.target.id for n in nodes if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
    return names | _parameters(scope)


def _parameters(scope: ast.AST) -> set[str]:
    if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
        return set()
    arguments = scope.args
    return {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}


def bindings(nodes: list[ast.AST]) -> Iterator[Binding]:
    """Names bound together, and the value; None where the value is no expression of this kind."""
    for node in nodes:
        if type(node) not in _BINDERS:
            continue
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield _names(target), _unpacked(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield _names(target), value
            case ast.NamedExpr(target=target, value=value) | ast.AugAssign(target=target, value=value):
                yield _names(target), value
            case (
                ast.For(target=target)
                | ast.AsyncFor(target=target)
                | ast.withitem(optional_vars=ast.expr() as target)
            ):
                yield _names(target), None
            case ast.ExceptHandler(name=str(name)) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield [name], None
            case ast.alias(name=name, asname=asname):
                yield [asname or name], None


def _unpacked(target: ast.expr, value: ast.expr) -> ast.expr | None:
    """Of ``a, b = call()`` each name gets an item; a display on the right is taken as it is."""
    starred = any(isinstance(n, ast.Starred) for n in walk(target))
    if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Call):
        kind = Rest if starred else Item
        item = ast.copy_location(kind(value, ast.Constant(0), ast.Load()), value)
        item.parts = dict(_places(target, ()))
        return item
    return None if starred else value


def _places(target: ast.expr, place: Part) -> Iterator[tuple[str, Part]]:
    if isinstance(target, ast.Name):
        yield target.id, place
    elif isinstance(target, ast.Tuple | ast.List):
        for i, inner in enumerate(target.elts):
            yield from _places(inner, (*place, i))


def _names(target: ast.expr) -> list[str]:
    return [n.id for n in walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def _from_torch(syntax: Syntax) -> Iterator[str]:
    """Names that are imported from torch."""
    for node in syntax.nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "torch":
            yield from (alias.asname or alias.name for alias in node.names)


def _alike(values: list[ast.expr | None], functions: Set[str], called: Set[str]) -> bool:
    """Whether what a name is bound to in turn looks like tensors all the time, or comes of one function."""
    if not all(map(tensor_like, values)):
        return False
    makers = {ast.dump(value.func) for value in values if isinstance(value, ast.Call)}
    only_that = len(makers) == 1 and all(isinstance(value, ast.Call) for value in values)
    return only_that or all(_surely_tensor(value, functions, called) for value in values)


def _surely_tensor(value: ast.expr | None, functions: Set[str], called: Set[str]) -> bool:
    """Whether an expression looks like one tensor, and like nothing else: mypy knows what torch returns.

    Not so ``y.shape``, or the result of a function of the program's own, of numpy or of an unknown one.
    """
    match value:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)):
            of_numpy = (dotted(owner) or "").partition(".")[0] in ("np", "numpy", "math")
            return not of_numpy and name not in OTHER_METHODS and name not in functions
        case ast.Call(func=ast.Name(id=name)):
            return name in called
        case ast.Attribute(attr=name):
            return name in ("T", "mT", "H", "mH", "data", "grad", "real", "imag")
        case ast.Subscript(value=whole) | ast.UnaryOp(operand=whole):
            return isinstance(whole, ast.Name) or _surely_tensor(whole, functions, called)
        case ast.BinOp(left=a, right=b):
            return any(_surely_tensor(part, functions, called) for part in (a, b)) or isinstance(a, ast.Name)
    return False
