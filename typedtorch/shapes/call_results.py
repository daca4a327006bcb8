"""Where the result of a module call is kept under a name that holds other things too.

Without types for ``self.layer(x)`` mypy calls its result Any, and a program may bind one name to it and to a
list, or to None, in turn.  With them mypy would settle on the first and complain of the rest.  Where the
source shows that a result is kept beside values of other kinds, it is better left as it was.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from typing import Literal

from typedtorch.shapes.doubtful_names import (
    COMBINES,
    beside_none,
    combined,
    gathered,
    gone_through,
    keyed,
    marked,
    none_names,
)
from typedtorch.shapes.module_uses import Position, position
from typedtorch.shapes.syntax import Syntax, dotted, walk

# Harmless as long as it is one tensor, or, where it is unpacked, several, or no dict of known keys; or better
# left unknown.
Keep = Literal["tensor", "tensors", "no keys", "any"]

_OTHER_METHODS = frozenset(
    {"tolist", "item", "numpy", "size", "dim", "stride", "data_ptr", "items", "keys", "values", "get", "pop"}
    | {"split", "tensor_split", "unsafe_split", "chunk", "unsafe_chunk", "unbind"}
    | {"topk", "sort", "max", "min", "mode", "median", "kthvalue", "aminmax"}
)
_OTHER_FUNCTIONS = frozenset(
    {"list", "tuple", "dict", "set", "zip", "map", "filter", "sorted", "enumerate", "range", "iter", "next"}
    | {"len", "int", "float", "bool", "str", "sum", "max", "min", "getattr", "partial"}
    | {"split", "chunk", "unbind", "meshgrid", "topk", "sort"}
)


# Kinds of nodes that bind names, and that hold values beside others: most nodes are neither.
_BINDERS = frozenset(
    {ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign, ast.For, ast.AsyncFor, ast.withitem}
    | {ast.ExceptHandler, ast.FunctionDef, ast.ClassDef, ast.alias}
)
_OPERATORS = frozenset({ast.BinOp, ast.Compare})
_HOLDERS = frozenset(
    {ast.Assign, ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.Call}
)


class _Item(ast.Subscript):
    """One of the values that a call's result is unpacked into."""


Binding = tuple[list[str], ast.expr | None]  # names bound together, and to what
_FILLS = frozenset({"append", "extend", "insert", "add", "setdefault", "update", "appendleft", "put"})


def kept_results(syntax: Syntax) -> dict[Position, Keep]:
    """For each call whose result stays somewhere among other values: what may be said of it.

    >>> mixed = ast.parse("def f(self, x):\\n y = self.a(x)\\n y = [y]")
    >>> list(kept_results(Syntax(mixed)).values())
    ['any']
    >>> kept_results(Syntax(ast.parse("def f(self, x):\\n y = self.a(x)\\n return y")))
    {}
    """
    found: dict[Position, Keep] = {}
    nonlocal_ = {name for node in syntax.nodes if isinstance(node, ast.Nonlocal) for name in node.names}
    functions = {node.name for node in syntax.nodes if isinstance(node, ast.FunctionDef)} - {"forward"}
    of_torch = frozenset(_from_torch(syntax))
    nothing = frozenset(none_names(syntax))
    for scope, nodes in syntax.scopes.items():
        operators = [node for node in nodes if type(node) in _OPERATORS] if nothing else []
        beside = [part for node in operators for part in beside_none(node, nothing)]
        for value, keep in _in_scope(scope, nodes, beside, nonlocal_, functions, of_torch):
            for call in calls(value):
                if found.get(position(call)) != "any":
                    found[position(call)] = keep
    return found


def _in_scope(
    scope: ast.AST,
    nodes: list[ast.AST],
    beside: list[ast.expr],
    nonlocal_: set[str],
    functions: set[str],
    of_torch: frozenset[str],
) -> Iterator[tuple[ast.expr, Keep]]:
    declared = _declared(scope, nodes)
    holders = [node for node in nodes if type(node) in _HOLDERS]
    bound_here = list(bindings(nodes))
    bound: dict[str, list[ast.expr | None]] = {}
    for names, value in bound_here:
        for name in names:
            bound.setdefault(name, []).append(value)
    stored = [*beside, *(value for node in holders for value in (*_stored(node), *_cast(node)))]
    stored += [item for _, value in bound_here for item in _items(value)]
    called = of_torch | _parameters(scope) | bound.keys() - functions  # modules, or functions of torch
    mixed = {n for n, values in bound.items() if len(values) > 1 and not _alike(values, functions, called)}
    mixed |= (
        gathered(scope) | nonlocal_ | marked(nodes) | combined(nodes) | gone_through(nodes)
    ) & bound.keys()
    mixed |= {name for value in stored for name in result_names(value)} - declared
    mixed = _with_sources(mixed, bound_here, declared)
    for name in keyed(nodes) & bound.keys():
        yield from ((value, "no keys") for value in bound[name] if value is not None)
    for names, value in bound_here:
        if value is None:
            continue
        if not (mixed | declared).isdisjoint(names) or _is_tuple_of_parts(names, value):
            yield value, "any"  # what is bound to a declared name has the declared type anyway
        elif any(len(bound[name]) > 1 for name in names):
            yield value, "tensors" if isinstance(value, _Item) else "tensor"
    yield from ((value, "any") for value in beside)
    yield from (
        (value, "any") for node in holders for value in (*_stored(node), *_collected(node), *_cast(node))
    )


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
    return isinstance(value, ast.Call) and len(names) == 1 and not _tensor_like(value)


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
                    starred = any(isinstance(n, ast.Starred) for n in walk(target))
                    yield _names(target), None if starred else _unpacked(target, value)
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


def _unpacked(target: ast.expr, value: ast.expr) -> ast.expr:
    """Of ``a, b = call()`` each name gets an item; a display on the right is taken as it is."""
    if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Call):
        return ast.copy_location(_Item(value, ast.Constant(0), ast.Load()), value)
    return value


def _names(target: ast.expr) -> list[str]:
    return [n.id for n in walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def _tensor_like(value: ast.expr | None) -> bool:
    """Whether an expression looks like one tensor, as far as the eye can see."""
    match value:
        case ast.Call(func=ast.Attribute(attr=name)):
            return name not in _OTHER_METHODS
        case ast.Call(func=ast.Name(id=name)):
            return name not in _OTHER_FUNCTIONS and not name[0].isupper()
        case (
            ast.Call()
            | ast.BinOp()
            | ast.UnaryOp()
            | ast.Name()
            | ast.Subscript()
            | ast.Attribute()
            | ast.Await()
        ):
            return True
        case ast.IfExp(body=a, orelse=b):
            return _tensor_like(a) and _tensor_like(b)
        case ast.NamedExpr(value=inner):
            return _tensor_like(inner)
    return False


def _from_torch(syntax: Syntax) -> Iterator[str]:
    """Names that are imported from torch."""
    for node in syntax.nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "torch":
            yield from (alias.asname or alias.name for alias in node.names)


def _alike(values: list[ast.expr | None], functions: set[str], called: Set[str]) -> bool:
    """Whether what a name is bound to in turn looks like tensors all the time, or comes of one function."""
    if not all(map(_tensor_like, values)):
        return False
    makers = {ast.dump(value.func) for value in values if isinstance(value, ast.Call)}
    only_that = len(makers) == 1 and all(isinstance(value, ast.Call) for value in values)
    return only_that or all(_surely_tensor(value, functions, called) for value in values)


def _surely_tensor(value: ast.expr | None, functions: set[str], called: Set[str]) -> bool:
    """Whether an expression looks like one tensor, and like nothing else: mypy knows what torch returns.

    Not so ``y.shape``, or the result of a function of the program's own, of numpy or of an unknown one.
    """
    match value:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)):
            of_numpy = (dotted(owner) or "").partition(".")[0] in ("np", "numpy", "math")
            return not of_numpy and name not in _OTHER_METHODS and name not in functions
        case ast.Call(func=ast.Name(id=name)):
            return name in called
        case ast.Attribute(attr=name):
            return name in ("T", "mT", "H", "mH", "data", "grad", "real", "imag")
        case ast.Subscript(value=whole) | ast.UnaryOp(operand=whole):
            return isinstance(whole, ast.Name) or _surely_tensor(whole, functions, called)
        case ast.BinOp(left=a, right=b):
            return any(_surely_tensor(part, functions, called) for part in (a, b)) or isinstance(a, ast.Name)
    return False


def _stored(node: ast.AST) -> Iterator[ast.expr]:
    """Values put where things of other types may be put too: attributes, items, displays of several kinds."""
    match node:
        case ast.Assign(targets=targets, value=value):
            if any(isinstance(n, ast.Attribute | ast.Subscript) for t in targets for n in _leaves(t)):
                yield value
        case ast.List(elts=values, ctx=ast.Load()) | ast.Set(elts=values) | ast.Dict(values=values):
            if not all(map(_tensor_like, values)):
                yield from values


def _items(value: ast.expr | None) -> list[ast.expr]:
    """What a list or dict holds that a name is bound to: more may be added to it later."""
    match value:
        case ast.List(elts=values) | ast.Set(elts=values) | ast.Dict(values=values):
            return values
    return []


def _cast(node: ast.AST) -> Iterator[ast.expr]:
    """What ``typing.cast`` is applied to: a program says there what it means, and need not say it twice."""
    match node:
        case ast.Call(func=ast.Name(id="cast") | ast.Attribute(attr="cast"), args=[_, value]):
            yield value


def cast_places(syntax: Syntax) -> frozenset[Position]:
    """Each expression that is given to ``typing.cast``."""
    return frozenset(position(value) for node in syntax.nodes for value in _cast(node))


def _collected(node: ast.AST) -> Iterator[ast.expr]:
    """Values whose type mypy takes for that of the whole collection."""
    match node:
        case ast.List(elts=values, ctx=ast.Load()) | ast.Set(elts=values) | ast.Dict(values=values):
            yield from values
        case ast.ListComp(elt=value) | ast.SetComp(elt=value) | ast.DictComp(value=value):
            yield value
        case ast.Call(func=ast.Attribute(attr=name), args=arguments) if name in _FILLS:
            yield from arguments
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in COMBINES:
            yield from (part for each in arguments for part in walk(each) if isinstance(part, ast.Call))
        case ast.Call(func=ast.Name(id="dict" | "OrderedDict"), keywords=keywords):
            yield from (keyword.value for keyword in keywords)


def _leaves(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _leaves(element)
    else:
        yield target


def calls(value: ast.expr) -> Iterator[ast.Call]:
    """The calls whose results make up the value: not those among another call's arguments."""
    if isinstance(value, ast.Call):
        yield value
        yield from calls(value.func)
    for part in _parts(value):
        yield from calls(part)


def result_names(value: ast.expr) -> Iterator[str]:
    """The names whose values, or parts or methods of them, make up the value."""
    match value:
        case ast.Name(id=name):
            yield name
        case ast.Call(func=ast.Attribute(value=inner)):
            yield from result_names(inner)
    for part in _parts(value):
        yield from result_names(part)


def _parts(value: ast.expr) -> Sequence[ast.expr]:
    """The operands of an operator, the items of a tuple, what an attribute or an item is of."""
    match value:
        case (
            ast.Attribute(value=inner)
            | ast.Subscript(value=inner)
            | ast.Starred(value=inner)
            | ast.Await(value=inner)
            | ast.UnaryOp(operand=inner)
            | ast.NamedExpr(value=inner)
        ):
            return [inner]
        case ast.BinOp(left=a, right=b) | ast.IfExp(body=a, orelse=b):
            return [a, b]
        case ast.BoolOp(values=parts) | ast.Tuple(elts=parts):
            return parts
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
    return []
