"""Where a contradiction belongs that a call brought to light: to the call, or to the body it entered."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.assuming import Names, assume
from typedtorch.shapes.infer.annotations.problems import Problem
from typedtorch.shapes.infer.calls.brought import captures_tensors, is_known_tensor
from typedtorch.shapes.infer.calls.signatures import Signature
from typedtorch.shapes.infer.checking import check_function
from typedtorch.shapes.infer.frame import Frame, Reporter
from typedtorch.shapes.infer.reports import messages
from typedtorch.shapes.infer.reports.grounds import Ground, Step, taking_part
from typedtorch.shapes.infer.values.values import UNKNOWN, FunctionV, Instance, Value
from typedtorch.shapes.size import axis
from typedtorch.shapes.syntax import walk

if TYPE_CHECKING:
    from typedtorch.shapes.findings import Finding
    from typedtorch.shapes.infer.classes.classes import ClassInfo
    from typedtorch.shapes.infer.interpreter import Interpreter


_CALLED = " (called on line "


def report(
    interpreter: Interpreter,
    frame: Frame,
    function: FunctionV,
    signature: Signature,
    values: Mapping[str, Value],
    inner: Frame,
    node: ast.AST,
) -> None:
    """A contradiction inside a helper belongs to the call that brought the values.

    It belongs to the body where any tensors that the signature allows would meet it, unless it is about
    tensors that the body got in another way.
    """
    same_file = inner.module is frame.module
    beyond = inner.reporter.elsewhere
    if same_file and not frame.reporter.muted:
        for place, finding in beyond.items():
            if frame.reporter.elsewhere.setdefault(place, finding) is finding:
                frame.reporter.grounds.setdefault(place, inner.reporter.grounds.get(place, Ground()))
    if not inner.reporter.findings and (same_file or not beyond):
        return
    own = own_findings(interpreter, function)
    wrong = min(own, default=(math.inf,))[0]  # what comes after may be wrong for no other reason
    found = [f for f in inner.reporter.findings.values() if f.line < wrong]
    if not same_file:
        # places of another file: told at the call that leads there
        found += [f._replace(message=f.message.rpartition(_CALLED)[0]) for f in beyond.values()]
    if not found:
        return
    here = same_file and not frame.reporter.muted
    if signature.shaped and here and not captures_tensors(function):
        always = _whatever_the_tensors(interpreter, frame, function, signature, values)
        bodies = [f for f in found if (f.line, f.column, f.code) in always]
        for f in bodies:
            message = f"{f.message}{_CALLED}{getattr(node, 'lineno', 0)})"
            key, line = (f.line, f.column, f.code), getattr(node, "lineno", 0)
            if key not in frame.reporter.elsewhere:
                frame.reporter.elsewhere[key] = f._replace(message=message)
                frame.reporter.grounds[key] = replace(inner.reporter.grounds.get(key, Ground()), called=line)
        if bodies:
            return
    finding = found[0]  # what is wrong first: in a loop what stands above it may only follow from it
    where = f"{_full_name(function)} (line {finding.line})" if same_file else _whose(function)
    ground = _led_to(frame, function, signature, inner, finding, node)
    frame.reporter.add(node, finding.code, f"in {where}: {finding.message}", finding.hint, ground=ground)


def _led_to(
    frame: Frame, function: FunctionV, signature: Signature, inner: Frame, finding: Finding, node: ast.AST
) -> Ground:
    """What a finding in a body rests on, seen from the call."""
    found = inner.reporter.grounds.get((finding.line, finding.column, finding.code), Ground())
    path, begins = function.module.path, function.node.lineno
    step = Step(path, begins, finding.line, finding.column, signature.shaped)
    attributes = set[str]()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        attributes = {name for name in taking_part(frame, node.func) if ":" not in name}
    return replace(found | attributes, steps=(step, *found.steps), called=0)


def report_result(
    interpreter: Interpreter, frame: Frame, function: FunctionV, problem: Problem, node: ast.AST
) -> None:
    """A result that contradicts its annotation with the modules and numbers of this call."""
    if isinstance(node, ast.expr) and not own_findings(interpreter, function):
        returns = [n.lineno for n in walk(function.node) if isinstance(n, ast.Return)]
        same_file = function.module is frame.module
        where = f"{_full_name(function)} (line {returns[-1]})" if same_file and returns else _whose(function)
        messages.result(frame, node, problem, verb=f"in {where}: returns")


def _full_name(function: FunctionV) -> str:
    """A function as a traceback names it, with the class of its object."""
    owner = f"{function.bound.info.node.name}." if isinstance(function.bound, Instance) else ""
    return f"{owner}{function.name}()"


def _whose(function: FunctionV) -> str:
    """A function of another file.  Lines there may change without anything being checked again here."""
    parts = PurePath(function.module.path).parts
    file = "/".join(parts[-2:] if parts[-1] == "__init__.py" else parts[-1:])
    return f"{_full_name(function)} of {file}"


def _whatever_the_tensors(
    interpreter: Interpreter,
    frame: Frame,
    function: FunctionV,
    signature: Signature,
    values: Mapping[str, Value],
) -> set[tuple[int, int, str]]:
    """What a body reports with the modules and numbers of a call, whatever tensors the signature allows."""
    from typedtorch.shapes.infer.calls.inlining import (  # noqa: PLC0415 - it reports through this file
        body_frame,
        fill_parameters,
        run_body,
    )

    inner = body_frame(interpreter, function, frame.depth + 1, autocast=frame.state.autocast)
    names = Names(axis, generic=True)
    inner.state.names = names
    given = dict(values)
    for parameter in signature.parameters:
        brought = is_known_tensor(given.get(parameter.name, UNKNOWN))
        if (brought or specs.shaped(parameter.spec)) and parameter.kind in ("positional", "keyword"):
            given[parameter.name] = assume(parameter.spec, names, parameter.name)
    fill_parameters(interpreter, inner, function, signature, given)
    interpreter.stack.append(id(function.node))
    try:
        run_body(inner, function, signature)
    finally:
        interpreter.stack.pop()
    return set(inner.reporter.findings)


def own_findings(interpreter: Interpreter, function: FunctionV) -> frozenset[tuple[int, int, str]]:
    """What is reported in a body whoever calls it, so not of its callers."""
    info = _reported_of(function)
    key = id(function.node), id(info)
    if key not in interpreter.own:
        interpreter.own[key] = frozenset()
        with interpreter.apart():
            found = findings_for_any(interpreter, function, info)
        interpreter.own[key] = frozenset((f.line, f.column, f.code) for f in found)
    return interpreter.own[key]


def findings_for_any(
    interpreter: Interpreter,
    function: FunctionV,
    info: ClassInfo | None,
    only: Signature | None = None,
    reporter: Reporter | None = None,
) -> list[Finding]:
    """What is wrong in a body for any arguments, and where ``self`` is any object of a class.

    Without a class it is the object that the body is bound to.
    """
    reporter = reporter or Reporter(function.module.path, counting=False)
    pending = interpreter.pending, interpreter.pending_classes
    interpreter.pending, interpreter.pending_classes = {}, {}
    general = function if info is None else function.bind(info.symbolic())
    try:
        check_function(interpreter, general, reporter, info, only=only)
    finally:
        interpreter.pending, interpreter.pending_classes = pending
    return list(reporter.findings.values())


def _reported_of(function: FunctionV) -> ClassInfo | None:
    """The class with whose objects a body is checked: a subclass, where that overrides what it calls."""
    from typedtorch.shapes.infer.promises.inherited import overridden_call  # noqa: PLC0415 - it reports through this file

    if not isinstance(function.bound, Instance):
        return None
    info, method = function.bound.info, function.node
    if function.owner in (None, info) or isinstance(method, ast.Lambda):
        return info
    return function.owner if overridden_call(info, method) is None else info


__all__ = ["findings_for_any", "own_findings", "report", "report_result"]
