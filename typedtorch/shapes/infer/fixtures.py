"""pytest's fixtures: what a test is given under the names of its parameters.

A fixture is looked for where pytest does: in the class of the test, in its file, in the ``conftest.py`` of
its folder and of those above.  What the test is run with several times, by ``parametrize``, stays unknown,
and so does whatever is made of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from functools import lru_cache
from pathlib import PurePath
from typing import TYPE_CHECKING

from typedtorch.shapes.conftests import conftests
from typedtorch.shapes.infer import shared, specs
from typedtorch.shapes.infer.binding import Args
from typedtorch.shapes.infer.items import iterate
from typedtorch.shapes.infer.values import UNKNOWN, FunctionV, Instance, Value

if TYPE_CHECKING:
    from typedtorch.shapes.infer.class_text import Def
    from typedtorch.shapes.infer.frame import Frame
    from typedtorch.shapes.infer.program import Module
    from typedtorch.shapes.infer.signatures import Signature


def given(frame: Frame, function: FunctionV, signature: Signature) -> dict[str, Value]:
    """The parameters of a test that its fixtures make known."""
    node = function.node
    if isinstance(node, ast.Lambda) or not node.name.startswith("test") or not signature.parameters:
        return {}
    taken = _parametrized(function, node)
    if taken is None:
        return {}
    found = {}
    for parameter in signature.parameters:
        if parameter.default is None and not specs.shaped(parameter.spec):
            value = _value(frame, function, parameter.name, taken)
            if value is not UNKNOWN:
                found[parameter.name] = value
    return found


def _value(frame: Frame, test: FunctionV, name: str, taken: Set[str]) -> Value:
    """What the fixture of a name gives to a test; ``taken`` are names that stand for something else."""
    found = _find(test, name) if name not in taken else None
    if found is None:
        return UNKNOWN
    module, node, in_class = found
    decorator = _fixture(node)
    if decorator is None or len(node.decorator_list) > 1 or isinstance(node, ast.AsyncFunctionDef):
        return UNKNOWN
    fixture = FunctionV(node, module, {}, test.owner if in_class else None)
    fixture = fixture.bind(test.bound) if in_class else fixture
    asked = [p.name for p in frame.interpreter.signature(fixture).parameters if p.default is None]
    known = {p: _value(frame, test, p, taken | {name}) for p in asked}
    quiet = frame.interpreter.quiet_frame(module)
    keywords = {p: value for p, value in known.items() if value is not UNKNOWN}
    value = quiet.call(fixture, Args([], [], keywords), node)
    if frame.interpreter.signature(fixture).is_generator:
        value = iterate(value, quiet.place(node))
    outlives = any(k.arg == "scope" for k in getattr(decorator, "keywords", ()))
    return shared.held_by_others(value, test.module.facts(test.module.tree)) if outlives else value


def _find(test: FunctionV, name: str) -> tuple[Module, Def, bool] | None:
    """The definition of a fixture, the file it is in, and whether the class of the test holds it."""
    info = test.bound.info if isinstance(test.bound, Instance) else None
    if info is not None:
        if name in test.module.overridden(info.name):
            return None
        method = info.find(name)
        if method is not None:
            own = method[0] is test.owner and len(method[1]) == 1
            return (test.module, method[1][0], True) if own else None
    for module in (test.module, *conftests_of(test.module)):
        if name in module.bindings:
            module.lookup(name)  # what is found there counts as asked for
            definition = _top_level(module).get(name)
            return None if definition is None else (module, definition, False)
    return None


def conftests_of(module: Module) -> Iterator[Module]:
    """Those that pytest runs before the tests of a module."""
    folder = PurePath(module.path).parent
    for name in conftests(module.name):
        found = module.program.module(name)
        if found is not None and folder.is_relative_to(PurePath(found.path).parent):
            yield found


@lru_cache(maxsize=64)
def _top_level(module: Module) -> dict[str, Def]:
    """The functions at the top of a file, where nothing else has their name."""
    defined = {s.name: s for s in module.tree.body if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))}
    return {name: node for name, node in defined.items() if len(module.bindings.get(name, ())) == 1}


def _fixture(node: Def) -> ast.expr | None:
    """The decorator that makes a fixture of a function, under the function's own name."""
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        renamed = any(k.arg == "name" for k in getattr(decorator, "keywords", ()))
        if name == "fixture":
            return None if renamed else decorator
    return None


def _parametrized(function: FunctionV, node: Def) -> frozenset[str] | None:
    """The names that ``parametrize`` gives to a test; None where it is unknown how the test is run."""
    module = function.module
    if not {"pytestmark", "pytest_generate_tests"}.isdisjoint(module.bindings):
        return None
    info = function.bound.info if isinstance(function.bound, Instance) else None
    definitions = [node, *(i.node for i in info.mro())] if info is not None else [node]
    names: set[str] = set()
    for decorator in [d for definition in definitions for d in definition.decorator_list]:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if not isinstance(called, ast.Attribute) or not _is_mark(called.value) or called.attr == "xfail":
            return None
        if called.attr == "parametrize":
            own = _names(decorator.args[0]) if isinstance(decorator, ast.Call) and decorator.args else None
            if own is None:
                return None
            names |= own
    return frozenset(names)


def _is_mark(node: ast.expr) -> bool:
    return (node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")) == "mark"


def _names(node: ast.expr) -> set[str] | None:
    """``"x, y"`` or ``["x", "y"]``."""
    try:
        names = ast.literal_eval(node)
    except ValueError:
        return None
    return {n.strip() for n in names.split(",")} if isinstance(names, str) else set(names)


__all__ = ["conftests", "conftests_of", "given"]
