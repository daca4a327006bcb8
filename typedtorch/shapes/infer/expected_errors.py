"""Code that a test wants to fail, or does not run as it is written: it is wrong on purpose."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache

from typedtorch.shapes.syntax import walk

_EXPECTING = frozenset({"raises", "assertRaises", "assertRaisesRegex", "RaisesGroup"})

# of ``pytest.mark`` and ``unittest`` too: a test that is known to fail, or never run
_NOT_RUN = frozenset({"no_type_check", "skip", "xfail", "expectedFailure"})
_LEAVING = frozenset({"pytest.skip", "pytest.xfail", "pytest.fail", "pytest.exit"})

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def expects_an_error(node: ast.expr) -> bool:
    """``pytest.raises(...)`` and ``self.assertRaises(...)``: the code under it is wrong on purpose."""
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in _EXPECTING


def replaces_functions(node: ast.expr) -> bool:
    """``mock.patch(...)``, ``patch.object(...)``: what is called under it is not what the source says."""
    function = node.func if isinstance(node, ast.Call) else node
    while isinstance(function, ast.Attribute):
        if function.attr == "patch":
            return True
        function = function.value
    return isinstance(function, ast.Name) and function.id in ("patch", "monkeypatch")


def leaves_the_test(name: str) -> bool:
    """Whether a function of pytest ends the test that calls it."""
    return name in _LEAVING


def is_not_run(
    node: ast.FunctionDef | ast.AsyncFunctionDef, names: Set[str], around: Iterable[ast.AST]
) -> bool:
    """Whether a function is a test that is not run, is known to fail, or runs with other functions in place.

    ``names`` are those of its decorators; ``around`` are the module and the class it stands in.

    >>> test = ast.parse("def test_a(monkeypatch): monkeypatch.setattr(F, 'relu', abs)").body[0]
    >>> is_not_run(test, {"skip"}, ()), is_not_run(test, set(), ())
    (True, True)
    """
    if not _NOT_RUN.isdisjoint(names) or any(map(_marks_all, around)):
        return True
    if any(map(replaces_functions, node.decorator_list)):
        return True
    given = {argument.arg for argument in node.args.args}
    return "monkeypatch" in given and any(
        isinstance(part, ast.Call) and ast.unparse(part.func) == "monkeypatch.setattr" for part in walk(node)
    )


@lru_cache(maxsize=1024)  # asked for each function of a module
def _marks_all(scope: ast.AST) -> bool:
    """``pytestmark = pytest.mark.skip``, of a module or a class."""
    return any(
        isinstance(line, ast.Assign)
        and isinstance(line.targets[0], ast.Name)
        and line.targets[0].id == "pytestmark"
        and any(isinstance(part, ast.Attribute) and part.attr in _NOT_RUN for part in walk(line.value))
        for line in getattr(scope, "body", ())
    )


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


__all__ = [
    "expects_an_error", "is_meant_to_fail", "is_not_run", "leaves_the_test", "replaces_functions",
]  # fmt: skip
