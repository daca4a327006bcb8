"""What a test is given: pytest's fixtures, under the names of its parameters, and what was set up for it.

A fixture is looked for where pytest does: in the class of the test, in its file, in the ``conftest.py`` of
its folder and of those above.  What the test is run with several times, by ``parametrize``, is any value
first, and so is whatever is made of it; a test in which nothing is wrong then is looked at with the values of
its first few runs (``ranks.py``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from dataclasses import replace
from functools import lru_cache
from itertools import islice, product
from pathlib import PurePath
from typing import TYPE_CHECKING

from typedtorch.shapes.conftests import conftests
from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.containers import shared
from typedtorch.shapes.infer.containers.items import items_of, iterate
from typedtorch.shapes.infer.values.values import UNKNOWN, FunctionV, Instance, Value
from typedtorch.shapes.size import unknown
from typedtorch.shapes.syntax import walk

if TYPE_CHECKING:
    from typedtorch.shapes.infer.calls.signatures import Signature
    from typedtorch.shapes.infer.classes.classes import ClassInfo
    from typedtorch.shapes.infer.frame import Frame
    from typedtorch.shapes.infer.interpreter import Interpreter
    from typedtorch.shapes.infer.program.class_text import Def
    from typedtorch.shapes.infer.program.program import Module


def given(frame: Frame, function: FunctionV, signature: Signature) -> dict[str, Value]:
    """The parameters of a test that its fixtures make known; two integers of a run may be one number."""
    node = function.node
    if isinstance(node, ast.Lambda) or not node.name.startswith("test") or not signature.parameters:
        return {}
    taken = _parametrized(function, node)
    if taken is None:
        return {}
    found = {}
    for parameter in signature.parameters:
        if parameter.name in taken and isinstance(parameter.spec, specs.NumberSpec):
            if parameter.spec.kind == "int":
                found[parameter.name] = unknown(f"?{parameter.name}")
        elif parameter.default is None and not specs.shaped(parameter.spec):
            value = _value(frame, function, parameter.name, taken)
            if value is not UNKNOWN:
                found[parameter.name] = value
    return found


def set_up(frame: Frame, test: FunctionV, receiver: Value) -> Value:
    """The object of a test after what runs before it: ``setUp``, ``setup_method``, fixtures of its class."""
    node = test.node
    if not isinstance(receiver, Instance) or isinstance(node, ast.Lambda) or not node.name.startswith("test"):
        return receiver
    info = receiver.info
    if any(owner.node.decorator_list for owner in info.mro()) or "?" in info.kind.external:
        return receiver  # something else may be run, too
    if not (info.name.startswith("Test") or info.kind.external):
        return receiver  # tests of whoever inherits them
    interpreter, now = frame.interpreter, receiver
    for owner, definition in _before_each(info):
        if definition.name in test.module.overridden(info.name):
            return receiver
        function = FunctionV(definition, owner.module, owner.closure, owner, now, is_bound=True)
        quiet = interpreter.quiet_frame(owner.module, owner.closure)
        quiet.state.variables[_HOLDER] = now
        interpreter.run_inline(quiet, function, interpreter.signature(function), {}, node)
        after = quiet.state.variables[_HOLDER]
        if not isinstance(after, Instance):
            return receiver
        now = after
    return now


_HOLDER = "<object of a test>"


def _before_each(info: ClassInfo) -> Iterator[tuple[ClassInfo, Def]]:
    """Methods that are run before each test, in this order."""
    yield from _undecorated(info, "setup_method")
    for owner in reversed(info.mro()):
        for definitions in owner.methods.values():
            if _is_fixture_for_all(definitions[-1]):
                yield owner, definitions[-1]
    yield from _undecorated(info, "setUp")


def _undecorated(info: ClassInfo, name: str) -> Iterator[tuple[ClassInfo, Def]]:
    found = info.find(name)
    if found is not None and not found[1][-1].decorator_list:
        yield found[0], found[1][-1]


def _is_fixture_for_all(node: Def) -> bool:
    """``@pytest.fixture(autouse=True)`` over what returns: what comes after a ``yield`` is run later."""
    decorator = _fixture(node)
    if not isinstance(decorator, ast.Call) or any(isinstance(n, ast.Yield) for n in walk(node)):
        return False
    return any(k.arg == "autouse" and getattr(k.value, "value", False) for k in decorator.keywords)


def runs(
    interpreter: Interpreter, function: FunctionV, signature: Signature
) -> Iterator[tuple[Signature, str]]:
    """The signature of a test with what the first few of its runs are given, and a text that says it."""
    node = function.node
    if isinstance(node, ast.Lambda) or not node.name.startswith("test") or not _parametrized(function, node):
        return
    given = [_given(interpreter, function, d) for d in node.decorator_list]
    places = {p.name: place for place, p in enumerate(signature.parameters)}
    for run in islice(product(*(sets for sets in reversed(given) if sets)), _RUNS):
        values = {n: v for known in run for n, v in known.items() if n in places}
        if not values:
            return
        parameters = list(signature.parameters)
        for name, value in values.items():
            own = parameters[places[name]]
            parameters[places[name]] = replace(own, spec=specs.LiteralSpec((value,)))
        numbers = [f"{n} is {v}" for n, v in values.items() if isinstance(v, (int, float, str))]
        yield replace(signature, parameters=parameters), " and ".join(numbers[:3])


def _given(interpreter: Interpreter, test: FunctionV, decorator: ast.expr) -> list[dict[str, Value]]:
    """What each set of values of one ``parametrize`` gives, where all of them are known."""
    match decorator:
        case ast.Call(func=ast.Attribute(attr="parametrize"), args=[written, values], keywords=others):
            names = _names(written) or []
            if any(keyword.arg not in ("ids", "scope") for keyword in others):
                return []
        case _:
            return []
    around = test.closure or {}
    items: list[Value] | None
    if isinstance(values, (ast.List, ast.Tuple)):  # one that is not known leaves the others known
        items = [interpreter.evaluate_in(item, test.module, around) for item in values.elts]
    else:
        items = items_of(interpreter.evaluate_in(values, test.module, around))
    sets = []
    for item in items or ():
        parts = (item,) if isinstance(written, ast.Constant) and "," not in str(written.value) else item
        known = isinstance(parts, tuple) and len(parts) == len(names) and UNKNOWN not in parts
        sets += [dict(zip(names, parts, strict=True))] if known else []
    return sets


_RUNS = 4


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
            names.update(own)
    return frozenset(names)


def _is_mark(node: ast.expr) -> bool:
    return (node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")) == "mark"


def _names(node: ast.expr) -> list[str] | None:
    """``"x, y"`` or ``["x", "y"]``."""
    try:
        names = ast.literal_eval(node)
    except ValueError:
        return None
    return [n.strip() for n in names.split(",")] if isinstance(names, str) else list(names)


__all__ = ["conftests", "conftests_of", "given", "runs", "set_up"]
