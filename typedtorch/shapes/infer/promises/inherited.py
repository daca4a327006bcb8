"""Inherited methods, as the objects of a class run them that overrides what they call.

``forward`` of a base class says what it takes and gives, and calls ``self.pool``, which subclasses bring.
Whether that holds is to be seen for each of them; what does not hold is reported at the override.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtorch.shapes.assigned_elsewhere import is_self
from typedtorch.shapes.infer.frame import Reporter
from typedtorch.shapes.infer.reports.blame import findings_for_any, own_findings
from typedtorch.shapes.infer.values.kinds import is_abstract
from typedtorch.shapes.infer.values.values import FunctionV
from typedtorch.shapes.syntax import walk

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes.classes import ClassInfo
    from typedtorch.shapes.infer.interpreter import Interpreter
    from typedtorch.shapes.infer.program.class_text import Def


def check(interpreter: Interpreter, info: ClassInfo, reporter: Reporter) -> None:
    """Hold the annotations of inherited methods against the overrides that a class brings."""
    for ancestor, method, override in _concerned(info):
        general = FunctionV(method, ancestor.module, ancestor.closure, ancestor)
        signature = interpreter.signature(general)
        if not signature.shaped or not interpreter.decorators_of(method).isdisjoint(_NOT_OF_OBJECTS):
            continue
        if own_findings(interpreter, general.bind(ancestor.symbolic())):
            continue
        own = general.bind(info.symbolic())
        found = findings_for_any(interpreter, own, info, interpreter.signature(own))
        if found:
            same_file = ancestor.module is info.module
            first = min(found)
            line = f" (line {first.line})" if same_file else ""
            where = f"{ancestor.name}.{method.name}(){line}, which calls this {override.name}()"
            reporter.add(_place(override), first.code, f"in {where}: {first.message}", first.hint)


_NOT_OF_OBJECTS = frozenset({"staticmethod", "classmethod", "overload", "no_type_check", "abstractmethod"})


def _concerned(info: ClassInfo) -> Iterator[tuple[ClassInfo, Def, Def]]:
    """Inherited methods that call what the class overrides, with their own class and the override."""
    for ancestor in info.mro()[1:]:
        for name, defined in ancestor.methods.items():
            if name == "__init__" or info.find(name) != (ancestor, defined):
                continue
            called = overridden_call(info, defined[-1])
            if called is not None:
                yield ancestor, defined[-1], called


def overridden_call(info: ClassInfo, method: Def) -> Def | None:
    """The method of a class, another than that of its base classes, which an inherited one calls."""
    called = _calls(method)
    first, *ancestors = info.mro()
    for name, defined in first.methods.items():
        if name in called and not name.startswith("__") and any(name in base.methods for base in ancestors):
            return None if is_abstract(info) else defined[-1]
    return None


@lru_cache(maxsize=4096)
def _calls(method: Def) -> frozenset[str]:
    """The methods of ``self`` that a method calls."""
    return frozenset(
        node.func.attr
        for node in walk(method)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_self(node.func.value)
    )


def _place(override: Def) -> ast.AST:
    """What a method returns where it returns once; else its last statement."""
    returns = [node for node in walk(override) if isinstance(node, ast.Return)]
    return returns[0] if len(returns) == 1 else override.body[-1]
