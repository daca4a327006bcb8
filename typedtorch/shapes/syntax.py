"""A source, parsed once and walked once, for everything that reads it.

The engine, the facts about classes and the places where exact types do no harm all look at the same trees.
Walking a tree costs several times what parsing it does, so one walk lists its nodes in order of appearance,
and marks which stretch of the list lies inside each function, lambda and class.
"""

from __future__ import annotations

import ast
import copy
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from weakref import WeakValueDictionary

Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
SCOPES = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)

# Fields that hold no nodes worth a visit: names, numbers, and the marks of operators and contexts.
_PLAIN = frozenset({"ctx", "op", "ops", "id", "attr", "arg", "kind", "type_comment", "level", "conversion"})


@dataclass(slots=True)
class _End:
    """Stands on the stack behind the children of a scope."""

    scope: ast.AST
    start: int
    outer: list[ast.AST]


@dataclass(slots=True)
class _Walk:
    nodes: list[ast.AST]
    own: dict[ast.AST, list[ast.AST]]
    spans: dict[ast.AST, tuple[int, int]]


@dataclass(eq=False)
class Syntax:
    """The tree of one source."""

    tree: ast.Module

    @cached_property
    def _walked(self) -> _Walk:
        return _walk(self.tree)

    @property
    def nodes(self) -> list[ast.AST]:
        """Every node in order of appearance, but for the marks of operators and contexts."""
        return self._walked.nodes

    @property
    def scopes(self) -> dict[ast.AST, list[ast.AST]]:
        """The module and each function, lambda and class, with the nodes that are in no scope inside it."""
        return self._walked.own

    def scopes_in(self, scope: ast.AST) -> Iterator[tuple[ast.AST, list[ast.AST]]]:
        """A scope and those inside it, each with the nodes that belong to no scope inside that."""
        walked = self._walked
        if scope in walked.spans:
            inside = (n for n in self.within(scope) if isinstance(n, SCOPES))
            return ((inner, walked.own[inner]) for inner in inside)
        return iter(_walk(scope).own.items())

    @cached_property
    def receivers(self) -> dict[ast.AST, str]:
        """Of methods of objects, what they call the object: ``self``, or shorter; of functions that stand in
        no class nothing, also where they have a ``self``.
        """
        found: dict[ast.AST, str] = dict.fromkeys(unbound(self.scopes), "")
        for scope in self.scopes:
            for node in scope.body if isinstance(scope, ast.ClassDef) else ():
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not _is_of_class(node):
                    for argument in [*node.args.posonlyargs, *node.args.args][:1]:
                        found[node] = argument.arg
        return found

    def within(self, scope: ast.AST) -> list[ast.AST]:
        """All nodes inside a scope, itself first."""
        start, end = self._walked.spans[scope]
        return self._walked.nodes[start:end]


def _is_of_class(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method is given the class, or nothing, in place of an object."""
    names = {n.id for d in node.decorator_list for n in ast.walk(d) if isinstance(n, ast.Name)}
    by_name = ("__new__", "__init_subclass__", "__class_getitem__")
    return node.name in by_name or not names.isdisjoint(("staticmethod", "classmethod"))


def unbound(nodes: Iterable[ast.AST]) -> list[ast.AST]:
    """Functions whose first parameter is ``self`` though they stand in no class."""
    functions = [n for n in nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) and _of_self(n)]
    if not functions:
        return []
    methods = {id(n) for node in nodes if isinstance(node, ast.ClassDef) for n in walk(node)}
    return [function for function in functions if id(function) not in methods]


def _of_self(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)][:1] == ["self"]


DEPTH = 2**14  # calls inside calls that mypy allows itself: programs have chains of a thousand operators

_parsed: WeakValueDictionary[tuple[str, str], Syntax] = WeakValueDictionary()


def read(text: str, path: str = "") -> Syntax:
    """Parse a source; the same text of the same file gives the same tree for as long as somebody holds it.

    Files of equal text stay apart: what their relative imports mean differs.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as ``ast.parse`` does.

    >>> held = read("x = 1")
    >>> held is read("x = 1")
    True
    """
    known = _parsed.get((path, text))
    if known is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known = Syntax(ast.parse(text))
        _parsed[path, text] = known
    return known


def children(node: ast.AST) -> list[ast.AST]:
    """Child nodes in order of appearance, but for the marks of operators and contexts.

    >>> [type(n).__name__ for n in children(ast.parse("a + b", mode="eval").body)]
    ['Name', 'Name']
    """
    found: list[ast.AST] = []
    for name in _FIELDS[type(node)]:
        value = getattr(node, name, None)
        if value is None:
            continue
        if type(value) is not list:
            if isinstance(value, ast.AST):
                found.append(value)
        elif value:
            found += [item for item in value if isinstance(item, ast.AST)]
    return found


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """For each kind of node the fields that may hold others."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        fields = () if kind is ast.Constant else tuple(name for name in kind._fields if name not in _PLAIN)
        self[kind] = fields
        return fields


_FIELDS = _Fields()


def walk(node: ast.AST) -> list[ast.AST]:
    """A node and all inside it, in order of appearance: ``ast.walk`` at a third of its cost."""
    nodes: list[ast.AST] = []
    stack = [node]
    while stack:
        inner = stack.pop()
        nodes.append(inner)
        if _FIELDS[type(inner)]:
            below = children(inner)
            below.reverse()
            stack += below
    return nodes


@lru_cache(maxsize=65536)
def acts(node: ast.AST) -> bool:
    """Whether evaluating an expression may change or bind something: ``xs.insert(0, xs.pop())``.

    >>> [acts(ast.parse(text, mode="eval")) for text in ("x.shape[0]", "x.size(0)", "(n := 3)")]
    [False, True, True]
    """
    return any(isinstance(part, _ACTS) for part in walk(node))


_ACTS = (ast.Call, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


def dotted(node: ast.expr) -> str | None:
    """``a.b.c`` as text; None for anything else.

    >>> dotted(ast.parse("nn.Module", mode="eval").body)
    'nn.Module'
    """
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=name):
            base = dotted(value)
            return f"{base}.{name}" if base else None
    return None


@lru_cache(maxsize=4096)
def names_in(node: ast.AST) -> tuple[str, ...]:
    """The names that a local function speaks of, in alphabetical order."""
    return tuple(sorted({n.id for n in walk(node) if isinstance(n, ast.Name)}))


@lru_cache(maxsize=4096)
def instead(node: ast.expr, name: str, given: ast.expr) -> ast.expr:
    """An expression with another in the place of a name.

    >>> test, subject = (ast.parse(text, mode="eval").body for text in ("x is not None", "self.mask"))
    >>> ast.unparse(instead(test, "x", subject))
    'self.mask is not None'
    """
    replaced: ast.expr = _Instead(name, given).visit(copy.deepcopy(node))
    return replaced


class _Instead(ast.NodeTransformer):
    def __init__(self, name: str, given: ast.expr) -> None:
        self.name, self.given = name, given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.given if node.id == self.name else node


def _walk(tree: ast.AST) -> _Walk:
    nodes: list[ast.AST] = []
    own: dict[ast.AST, list[ast.AST]] = {}
    spans: dict[ast.AST, tuple[int, int]] = {}
    current: list[ast.AST] = []
    stack: list[ast.AST | _End] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, _End):
            spans[node.scope] = (node.start, len(nodes))
            current = node.outer
            continue
        current.append(node)
        nodes.append(node)
        if not _FIELDS[type(node)]:
            continue
        if isinstance(node, SCOPES):
            stack.append(_End(node, len(nodes) - 1, current))
            current = own[node] = []
        below = children(node)
        below.reverse()
        stack += below
    return _Walk(nodes, own, spans)
