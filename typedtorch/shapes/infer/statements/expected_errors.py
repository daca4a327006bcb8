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


def expects_an_error(node: ast.expr, module: ast.Module | None = None) -> bool:
    """``pytest.raises(...)`` and ``self.assertRaises(...)``: the code under it is wrong on purpose.

    In a ``module``, so do its helpers and fixtures that make use of one.
    """
    own = _helpers_that_expect(module) if module is not None else frozenset()
    if isinstance(node, ast.Call):
        name = _last_name(node.func)
        return name in _EXPECTING or name in own
    return isinstance(node, ast.Name) and node.id in own


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


@lru_cache(maxsize=256)
def _helpers_that_expect(module: ast.Module) -> frozenset[str]:
    """Functions and methods of a module, tests aside, in which an error is expected."""
    parts = walk(module)
    if not any(map(_is_expecting, parts)):
        return frozenset()
    functions = [part for part in parts if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return frozenset(
        function.name
        for function in functions
        if not function.name.startswith("test") and any(map(_is_expecting, walk(function)))
    )


def _is_expecting(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _last_name(node.func) in _EXPECTING


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
    module = next((scope for scope in around if isinstance(scope, ast.Module)), ast.Module([], []))
    if not _NOT_RUN.isdisjoint(names) or not names.isdisjoint(_marks(module)) or any(map(_marks_all, around)):
        return True
    if any(map(_patches_or_skips, node.decorator_list)) or _is_marked_inside(node):
        return True
    given = {argument.arg for argument in node.args.args} | _used_fixtures(node.decorator_list)
    return not given.isdisjoint(_patching_fixtures(module)) or _sets_by_monkeypatch(node)


def _patches_or_skips(decorator: ast.expr) -> bool:
    """``@mock.patch(...)``, ``@pytest.mark.skipif(True, ...)``."""
    if isinstance(decorator, ast.Call) and _last_name(decorator.func) in ("skipif", "skipIf"):
        return bool(decorator.args) and getattr(decorator.args[0], "value", None) is True
    return replaces_functions(decorator)


def _is_marked_inside(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """``request.node.add_marker(pytest.mark.xfail(...))``."""
    if not any(argument.arg == "request" for argument in node.args.args):
        return False
    calls = (part for part in walk(node) if isinstance(part, ast.Call))
    return any(
        _last_name(call.func) in ("add_marker", "applymarker") and any(map(_names_a_mark, call.args))
        for call in calls
    )


def _names_a_mark(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr in _NOT_RUN for part in walk(node))


def _sets_by_monkeypatch(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """``monkeypatch.setattr(...)`` in a test or fixture that is given it."""
    return any(argument.arg == "monkeypatch" for argument in node.args.args) and any(
        isinstance(part, ast.Call) and ast.unparse(part.func) == "monkeypatch.setattr" for part in walk(node)
    )


def _used_fixtures(decorators: list[ast.expr]) -> set[str]:
    """``@pytest.mark.usefixtures("a", "b")``."""
    calls = (d for d in decorators if isinstance(d, ast.Call) and _last_name(d.func) == "usefixtures")
    return {
        a.value
        for call in calls
        for a in call.args
        if isinstance(a, ast.Constant) and isinstance(a.value, str)
    }


@lru_cache(maxsize=256)  # asked for each function of a module
def _patching_fixtures(module: ast.Module) -> frozenset[str]:
    """The fixtures of a module under which functions are not what the source says."""
    return frozenset(
        line.name
        for line in module.body
        if isinstance(line, (ast.FunctionDef, ast.AsyncFunctionDef))
        and any("fixture" in ast.unparse(decorator) for decorator in line.decorator_list)
        and (_sets_by_monkeypatch(line) or _patches_in(line))
    )


def _patches_in(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    opened = (item for part in walk(node) if isinstance(part, ast.With) for item in part.items)
    return any(replaces_functions(item.context_expr) for item in opened)


@lru_cache(maxsize=256)
def _marks(module: ast.Module) -> frozenset[str]:
    """``broken = pytest.mark.xfail(...)``: the marks of a module that have names."""
    return frozenset(
        target.id
        for line in module.body
        if isinstance(line, ast.Assign) and _names_a_mark(line.value)
        for target in line.targets
        if isinstance(target, ast.Name)
    )


@lru_cache(maxsize=1024)
def _marks_all(scope: ast.AST) -> bool:
    """``pytestmark = pytest.mark.skip``, of a module or a class."""
    return any(
        isinstance(line, ast.Assign)
        and isinstance(line.targets[0], ast.Name)
        and line.targets[0].id == "pytestmark"
        and _names_a_mark(line.value)
        for line in getattr(scope, "body", ())
    )


def is_meant_to_fail(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, scope: Scope, module: ast.Module
) -> bool:
    """Whether a function or class of a function is used only where an error is expected.

    What a name is given that is made of it (``model = Wrong()``) has to be used there only, too.

    >>> module = ast.parse("def test():\\n def f(): 1 / 0\\n with raises(ZeroDivisionError):\\n  f()")
    >>> is_meant_to_fail(module.body[0].body[0], module.body[0], module)
    True
    """
    names, found = {node.name}, False
    uses = list(_uses(scope, node, module))
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


def _uses(scope: Scope, own: ast.AST, module: ast.Module) -> Iterator[tuple[str, str | None, bool]]:
    """The names that a function reads, what each is assigned to, and whether an error is expected there."""
    todo: list[tuple[ast.AST, str | None, bool]] = [(part, None, False) for part in _body(scope)]
    while todo:
        node, target, expected = todo.pop()
        if node is own:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id, target, expected
        if isinstance(node, (ast.With, ast.AsyncWith)):
            expected = expected or any(expects_an_error(item.context_expr, module) for item in node.items)
        elif isinstance(node, ast.expr):
            expected = expected or expects_an_error(node, module)
        elif isinstance(node, ast.Assign) and not expected:
            first = node.targets[0]
            target = first.id if isinstance(first, ast.Name) and len(node.targets) == 1 else None
        todo.extend((part, target, expected) for part in ast.iter_child_nodes(node))


def _body(scope: Scope) -> list[ast.AST]:
    return [scope.body] if isinstance(scope, ast.Lambda) else list(scope.body)


__all__ = [
    "expects_an_error", "is_meant_to_fail", "is_not_run", "leaves_the_test", "replaces_functions",
]  # fmt: skip
