"""Names and attributes that hold one of several modules, of which mypy knows one.

``self.attn = Cross() if cross else Own()`` has the type of what both are, and an attribute that is assigned
twice that of the first: a call that the other takes is no mistake.
"""

from __future__ import annotations

import ast
from collections.abc import Set

from typedtorch.shapes.call_results import Binding, bindings
from typedtorch.shapes.module_uses import Position, position
from typedtorch.shapes.syntax import Syntax, dotted

_UNSEEN = "?"  # a maker that is not one class by name


def makers(nodes: list[ast.AST]) -> dict[str, frozenset[str]]:
    """What the attributes are made by that a class gives to its objects, and declares nowhere.

    >>> text = "def f(self, c):\\n self.a = A() if c else B()\\n self.b = A()\\n self.b = A()"
    >>> {name: len(made_by) for name, made_by in makers(list(ast.walk(ast.parse(text)))).items()}
    {'a': 2, 'b': 1}
    """
    picked = {name for name, made_by in _by_name(list(bindings(nodes))).items() if len(made_by) > 1}
    found: dict[str, set[str]] = {}
    declared = set()
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Attribute):
                        found.setdefault(target.attr, set()).update(_makers(value, picked))
            case ast.AnnAssign(target=ast.Attribute(attr=name) | ast.Name(id=name)):
                declared.add(name)
    return {name: frozenset(made_by) for name, made_by in found.items() if made_by and name not in declared}


def chosen_names(syntax: Syntax) -> dict[Position, int]:
    """For each use of a local name that is bound to what is made in several ways: in how many.

    >>> chosen_names(Syntax(ast.parse("m = A() if c else B()\\nn = A()\\nm(x), n(x)")))
    {(3, 0): 2}
    """
    found = {}
    for nodes in syntax.scopes.values():
        declared = {
            node.target.id
            for node in nodes
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        }
        made_by = _by_name(list(bindings(nodes)))
        counts = {n: len(ways) for n, ways in made_by.items() if len(ways) > 1 and n not in declared}
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in counts:
                found[position(node)] = counts[node.id]
    return found


def replaced(nodes: list[ast.AST]) -> dict[str, frozenset[str]]:
    """What attributes given to objects other than ``self`` are made by; under "" those of computed names.

    >>> made_by = replaced(list(ast.walk(ast.parse("net.fc = LoRA(net.fc)\\nsetattr(net, n, m)"))))
    >>> sorted((name, *each) for name, each in made_by.items())
    [('', 'm'), ('fc', 'LoRA()')]
    """
    found: dict[str, set[str]] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Attribute) and not _is_self(target.value):
                        found.setdefault(target.attr, set()).update(_makers(value, set()) or {_UNSEEN})
            case ast.Call(func=ast.Name(id="setattr"), args=[owner, given, value]) if not _is_self(owner):
                name = given.value if isinstance(given, ast.Constant) else ""
                found.setdefault(str(name), set()).update(_makers(value, set()) or {_UNSEEN})
    return {name: frozenset(made_by) for name, made_by in found.items()}


def _is_self(owner: ast.expr) -> bool:
    return isinstance(owner, ast.Name) and owner.id == "self"


def _by_name(bound: list[Binding]) -> dict[str, set[str]]:
    """What makes the values of each name; of what a name in turn is chosen for, several things."""
    pairs = [(name, value) for names, value in bound for name in names]
    found: dict[str, set[str]] = {}
    for _ in range(2):  # the second time with the names that are chosen themselves: ``cls = A if c else B``
        picked = {name for name, made_by in found.items() if len(made_by) > 1}
        found = {}
        for name, value in pairs:
            found.setdefault(name, set()).update(_makers(value, picked))
    return found


def _makers(value: ast.expr | None, picked: Set[str]) -> set[str]:
    """What a value may be made by, as text."""
    match value:
        case ast.IfExp(body=a, orelse=b):
            return _makers(a, picked) | _makers(b, picked)
        case ast.BoolOp(values=values):
            return set[str]().union(*(_makers(each, picked) for each in values))
        case ast.Call(func=function):
            name = dotted(function)
            return {_UNSEEN, "()"} if name is None or name in picked else {f"{name}()"}
        case ast.Constant(value=None):
            return set()
        case ast.Name(id=name):
            return {_UNSEEN, "()"} if name in picked else {name}
    return {_UNSEEN}
