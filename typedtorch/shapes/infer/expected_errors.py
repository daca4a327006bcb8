"""Code that a test wants to fail: it is wrong on purpose."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_EXPECTING = frozenset({"raises", "assertRaises", "assertRaisesRegex", "RaisesGroup"})

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def expects_an_error(node: ast.expr) -> bool:
    """``pytest.raises(...)`` and ``self.assertRaises(...)``: the code under it is wrong on purpose."""
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in _EXPECTING


def is_meant_to_fail(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, scope: Scope) -> bool:
    """Whether a function or class of a function is used only where an error is expected.

    What a name is given that is made of it (``model = Wrong()``) has to be used there only, too.

    >>> scope = ast.parse("def test():\\n def f(): 1 / 0\\n with raises(ZeroDivisionError):\\n  f()").body[0]
    >>> is_meant_to_fail(scope.body[0], scope)
    True
    """
    names, found = {node.name}, False
    uses = list(_uses(scope, node))
    while True:
        made = {target for name, target, expected in uses if name in names and target and not expected}
        if made <= names:
            break
        names |= made
    for name, target, expected in uses:
        if name in names and not target:
            if not expected:
                return False
            found = True
    return found


def _uses(scope: Scope, own: ast.AST) -> Iterator[tuple[str, str | None, bool]]:
    """The names that a function reads, what each is assigned to, and whether an error is expected there."""
    todo: list[tuple[ast.AST, str | None, bool]] = [(part, None, False) for part in _body(scope)]
    while todo:
        node, target, expected = todo.pop()
        if node is own:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id, target, expected
        if isinstance(node, (ast.With, ast.AsyncWith)):
            expected = expected or any(expects_an_error(item.context_expr) for item in node.items)
        elif isinstance(node, ast.expr):
            expected = expected or expects_an_error(node)
        elif isinstance(node, ast.Assign) and not expected:
            first = node.targets[0]
            target = first.id if isinstance(first, ast.Name) and len(node.targets) == 1 else None
        todo.extend((part, target, expected) for part in ast.iter_child_nodes(node))


def _body(scope: Scope) -> list[ast.AST]:
    return [scope.body] if isinstance(scope, ast.Lambda) else list(scope.body)


__all__ = ["expects_an_error", "is_meant_to_fail"]
