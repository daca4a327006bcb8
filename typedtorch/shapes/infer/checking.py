"""Checking a module: its top level is run, then the body of every function on its own annotations."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from typedtorch.shapes.conftests import is_test
from typedtorch.shapes.equality import mentioning, passed
from typedtorch.shapes.findings import Coverage, Report
from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.annotation_slips import lint_annotations
from typedtorch.shapes.infer.annotations.assuming import Names, assume
from typedtorch.shapes.infer.calls import definitions
from typedtorch.shapes.infer.calls.memo import Memo
from typedtorch.shapes.infer.calls.signatures import linked_axes
from typedtorch.shapes.infer.classes.construction import symbolic_argument
from typedtorch.shapes.infer.classes.updates import while_made
from typedtorch.shapes.infer.conditions import checks
from typedtorch.shapes.infer.containers import lengths, stored
from typedtorch.shapes.infer.containers.item_axes import axes_of_items
from typedtorch.shapes.infer.containers.shared import sets_default_dtype
from typedtorch.shapes.infer.frame import Frame, Reporter
from typedtorch.shapes.infer.layers.made_layers import passed_layer
from typedtorch.shapes.infer.operators.ties import Met, Ties
from typedtorch.shapes.infer.promises import fixtures, ranks, summaries
from typedtorch.shapes.infer.reports import captured_axes, own_numbers, unbound_axes
from typedtorch.shapes.infer.reports.told_once import told_once
from typedtorch.shapes.infer.statements.expected_errors import is_not_run
from typedtorch.shapes.infer.statements.statements import run
from typedtorch.shapes.infer.values.state import State
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    ClassV,
    DictV,
    FunctionV,
    Instance,
    Object,
    Sequence,
    Value,
    join_all,
)
from typedtorch.shapes.ones import broadcastable
from typedtorch.shapes.scopes import HELD_SCOPE, INTEGER_SCOPE
from typedtorch.shapes.size import Poly, axis, integer, unknown
from typedtorch.shapes.taken import noting
from typedtorch.shapes.tensor import Scalar

if TYPE_CHECKING:
    from typedtorch.shapes.infer.calls.binding import Parameter
    from typedtorch.shapes.infer.classes.classes import ClassInfo
    from typedtorch.shapes.infer.interpreter import Interpreter, Signature
    from typedtorch.shapes.infer.program.program import Module


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in a body, and the functions and classes that were met in it."""

    reporter: Reporter
    functions: dict[int, tuple[FunctionV, ClassInfo | None]]
    classes: dict[int, ClassInfo]


def check_module(module: Module) -> Report:
    """All findings of one module, in the order of the source."""
    interpreter = module.program.interpreter
    interpreter.begin(module)
    _find_default_dtype(interpreter, module)
    reporter = Reporter(module.path)
    lint_annotations(module, reporter)
    names = Names(lambda name: unknown(f"?{name}"))
    frame = Frame(interpreter, module, State({}, names), reporter)
    with noting():
        run(frame, module.tree.body)
    _drain(interpreter, reporter)
    found = {**reporter.findings, **reporter.elsewhere, **reporter.findings}
    findings = sorted(told_once(module, found, reporter.grounds))
    known = reporter.known.values()
    return Report(findings, Coverage(sum(known), len(known)))


def _find_default_dtype(interpreter: Interpreter, module: Module) -> None:
    """Whatever code a file runs makes floats of the dtype that it, or its ``conftest.py``, has said."""
    before = fixtures.conftests_of(module) if is_test(PurePath(module.path).stem) else ()
    another = any(map(sets_default_dtype, (module, *before)))
    if another or interpreter.other_default:
        interpreter.memo = Memo()  # what was remembered holds for another default
    interpreter.other_default = another


def _drain(interpreter: Interpreter, reporter: Reporter) -> None:
    """Check every function and class met so far, and those met on the way."""
    from typedtorch.shapes.infer.promises import inherited  # noqa: PLC0415 - it checks functions

    while interpreter.pending or interpreter.pending_classes:
        functions, interpreter.pending = list(interpreter.pending.values()), {}
        classes, interpreter.pending_classes = list(interpreter.pending_classes.values()), {}
        for function, _ in functions:
            interpreter.share(_lines(function.node))
            check_function(interpreter, function, reporter)
        for info in classes:
            check_methods(interpreter, info, info, reporter, linked=True)
            inherited.check(interpreter, info, reporter)
            for node in info.classes.values():
                inner = interpreter.define_class(node, info.module)
                assert isinstance(inner, ClassV)
                interpreter.pending_classes[id(node)] = inner.info


def check_methods(
    interpreter: Interpreter,
    owner: ClassInfo,
    info: ClassInfo,
    reporter: Reporter,
    *,
    linked: bool,
    entering: Callable[[FunctionV, Signature], None] | None = None,
) -> None:
    """The bodies of a class's methods, with ``self`` an instance of ``info``.

    ``entering`` is told of each before it is looked at.
    """
    if not linked and not any(owner.methods.values()):
        return
    interpreter.share(_lines(info.node))
    instance = info.symbolic(linked=linked)
    for overloads in owner.methods.values():
        for definition in overloads:
            function = FunctionV(definition, owner.module, owner.closure, owner)
            names = interpreter.decorators_of(definition)
            if "staticmethod" not in names:
                on_class = "classmethod" in names or definition.name in ("__class_getitem__", "__new__")
                own = ClassV(info) if on_class else while_made(instance, definition.name)
                function = function.bind(own)
            if linked and definition in info.reports:
                found = info.reports[definition]
                reporter.take(found.reporter)
                interpreter.pending |= found.functions
                interpreter.pending_classes |= found.classes
                continue
            interpreter.share(_lines(definition))
            if entering is not None:
                entering(function, interpreter.signature(function))
            check_function(interpreter, function, reporter, info, linked=linked)


def _lines(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def check_function(
    interpreter: Interpreter,
    function: FunctionV,
    reporter: Reporter,
    info: ClassInfo | None = None,
    *,
    linked: bool = True,
    spread: Mapping[str, int] | None = None,
    only: Signature | None = None,
) -> bool:
    """One body, assuming what its signature promises, or ``only`` a part of it.

    ``spread`` says how many axes a run of axes is.  False where every way through ends in a ``raise``.
    """
    node = function.node
    if isinstance(node, ast.Lambda) or "overload" in interpreter.decorators_of(node):
        return True
    around = [function.module.tree, *([function.owner.node] if function.owner is not None else [])]
    if is_not_run(node, interpreter.decorators_of(node), around):
        return True
    signature = only or interpreter.signature(function)
    frame = _frame(interpreter, function, signature, reporter, Names(axis, generic=True, spread=spread or {}))
    if info is not None and linked:
        constructs = node.name == "__init__"
        frame.state.names.sizes.update(info.links() if constructs else linked_axes(info, signature, function))
    _assume_parameters(interpreter, frame, function, signature, info, linked=linked)
    before = set(reporter.findings)
    reached = _run(interpreter, frame, signature, node)
    on_trial = spread or only
    if linked and not signature.is_generator and not on_trial and not frame.exhausted:
        summaries.record(frame, signature, reached=reached)
    if linked and not on_trial and not reporter.muted:
        unbound_axes.check(signature, node, function.module.tree, reporter)
        ranks.check(interpreter, function, signature, reporter, info)
        own_numbers.excuse(interpreter, function, info, signature, reporter, before)
        captured_axes.excuse(interpreter, function, signature, reporter, before)
    return reached or bool(frame.returns)


def ends(
    interpreter: Interpreter, function: FunctionV, info: ClassInfo, reporter: Reporter
) -> list[State] | None:
    """What is known wherever the body of a method is left; None where not all of it was looked at."""
    node = function.node
    if isinstance(node, ast.Lambda):
        return []
    signature = interpreter.signature(function)
    frame = _frame(interpreter, function, signature, reporter, Names(axis, generic=True))
    frame.state.names.sizes.update(linked_axes(info, signature, function))
    _assume_parameters(interpreter, frame, function, signature, info, linked=True)
    pending = interpreter.pending, interpreter.pending_classes
    interpreter.pending, interpreter.pending_classes = {}, {}
    try:
        reached = _run(interpreter, frame, signature, node)
    finally:
        interpreter.pending, interpreter.pending_classes = pending
    return None if frame.exhausted else [*frame.exits, *([frame.state] if reached else [])]


def _frame(
    interpreter: Interpreter, function: FunctionV, signature: Signature, reporter: Reporter, names: Names
) -> Frame:
    held = function.bound.axes.keys() if isinstance(function.bound, Instance) else frozenset()
    frame = Frame(
        interpreter, function.module,
        State({}, names, definitions.under_autocast(interpreter, function), Ties(held=held)), reporter,
        function, function.owner,
        function.closure or {}, function.module.facts(function.node).local,
    )  # fmt: skip
    frame.result = None if signature.is_generator else signature.result
    if isinstance(frame.result, specs.AwaitableSpec) and signature.is_async:
        frame.result = frame.result.result
    names.brace = interpreter.brace_of(frame)
    frame.optional = _optional_axes(signature)
    return frame


def _run(
    interpreter: Interpreter, frame: Frame, signature: Signature, node: ast.FunctionDef | ast.AsyncFunctionDef
) -> bool:
    """Run a body whose parameters are assumed; whether its end is reached."""
    frame.state.ties.met = _promised(signature, frame.state.variables, frame.state.ties.held)
    interpreter.stack.append(id(node))
    try:
        spreading = broadcastable(ranks.only_broadcastable(signature))
        with (
            interpreter.body(_lines(node)), mentioning(_axes_of(signature)), passed(_passed(signature)),
            spreading, noting() as frame.taken,
        ):  # fmt: skip
            return run(frame, node.body)
    finally:
        interpreter.stack.pop()


def check_constructor(
    interpreter: Interpreter, info: ClassInfo, function: FunctionV, values: Mapping[str, Value]
) -> Instance | None:
    """Check the body of a class's own constructor, and keep the findings with the class; what it makes.

    None where that cannot be said, and the constructor has to be run some other way.
    """
    node, start = function.node, function.bound
    if isinstance(node, ast.Lambda) or not isinstance(start, Instance):
        return None
    if not interpreter.decorators_of(node).isdisjoint(("overload", "no_type_check")):
        return None
    own = [*node.args.posonlyargs, *node.args.args]
    signature, reporter = interpreter.signature(function), Reporter(info.module.path)
    if not own or signature.is_generator or signature.is_async:
        return None
    frame = _frame(interpreter, function, signature, reporter, Names(axis, generic=True))
    frame.state.names.sizes.update(info.links())
    frame.state.variables[own[0].arg] = ranks.seen_from(frame.state.names, signature, start)
    frame.state.variables.update(values)
    outside = interpreter.pending, interpreter.pending_classes
    interpreter.pending, interpreter.pending_classes = {}, {}
    reached = _run(interpreter, frame, signature, node)
    if frame.exhausted:
        interpreter.pending, interpreter.pending_classes = outside
        return None
    summaries.record(frame, signature, reached=reached)
    ranks.check(interpreter, function, signature, reporter, info)
    if interpreter.steps > 0:  # else there is more to be found with a budget of its own
        info.reports[node] = Checked(reporter, interpreter.pending, interpreter.pending_classes)
    interpreter.pending, interpreter.pending_classes = outside
    ends = [*frame.exits, *([frame.state] if reached else [])]
    made = join_all([end.variables.get(own[0].arg, UNKNOWN) for end in ends], node.name) if ends else start
    return made if isinstance(made, Instance) else None


def _axes_of(signature: Signature) -> set[str]:
    """Every axis that a signature names."""
    return set().union(
        specs.axis_names(signature.result), *(specs.axis_names(p.spec) for p in signature.parameters)
    )


def _passed(signature: Signature) -> frozenset[str]:
    """Integers of which braces speak, ``{size}``, where no axis has the name."""
    annotated = (signature.result, *(p.spec for p in signature.parameters))
    return signature.braces.difference(*map(specs.binding_names, annotated))


def _promised(signature: Signature, variables: Mapping[str, Value], held: Set[str]) -> Met:
    """Shapes of the result with integers that were passed: ``t: "b", dim: int`` to ``"b dim"`` are two.

    An axis that only the result names is that of what ``self`` holds, where it has one of this name.
    """
    bound = set().union(*(specs.axis_names(p.spec) for p in signature.parameters))
    numbers = {p.name: variables.get(p.name) for p in signature.parameters if p.name not in bound}
    passed = {n: v for n, v in numbers.items() if isinstance(v, Poly)}
    result = signature.result
    met: Met = None
    for spec in result.items if isinstance(result, specs.TupleSpec) else (result,):
        if isinstance(spec, specs.ArraySpec):
            names = [d.name for d in spec.axes.dims if d.kind == "named" and not d.variadic]
            if not passed.keys().isdisjoint(names):
                own = {n: axis(n, HELD_SCOPE) for n in held if n not in bound}
                met = tuple(passed.get(n) or own.get(n) or axis(n) for n in names), met
    return met


def _assume_parameters(
    interpreter: Interpreter,
    frame: Frame,
    function: FunctionV,
    signature: Signature,
    info: ClassInfo | None,
    *,
    linked: bool,
) -> None:
    variables, names = frame.state.variables, frame.state.names
    names.of_items = axes_of_items(signature).difference(names.sizes)
    if function.is_bound:
        own = [*function.node.args.posonlyargs, *function.node.args.args]
        if own:
            receiver = ranks.seen_from(names, signature, function.bound)
            variables[own[0].arg] = fixtures.set_up(frame, function, receiver)
    is_constructor = info is not None and getattr(function.node, "name", "") == "__init__"
    sizes = {}
    if info is not None and is_constructor:
        sizes = {n: info.integer_value(n, linked=linked) for n in info.integer_parameters()}
    outside = interpreter.number
    if info is not None and is_constructor and linked:
        interpreter.number = info.own_integer
    for parameter in signature.parameters:
        if is_constructor:
            axes = info.own_axis if info is not None and linked else integer
            variables[parameter.name] = symbolic_argument(interpreter, parameter, sizes, axes)
        else:
            variables[parameter.name] = parameter_value(parameter, names, signature.braces)
            if parameter.kind not in ("args", "kwargs"):
                stored.annotate(frame, parameter.name, parameter.spec)
    interpreter.number = outside
    variables.update(fixtures.given(frame, function, signature))
    checks.guarded(frame, function)


def _optional_axes(signature: Signature) -> dict[str, set[str]]:
    """Axes that only a parameter with several kinds of argument mentions: not every call binds them."""
    found: dict[str, set[str]] = {}
    for parameter in signature.parameters:
        if isinstance(parameter.spec, specs.UnionSpec):
            found[parameter.name] = specs.axis_names(parameter.spec)
    certain: set[str] = set()
    for parameter in signature.parameters:
        if not isinstance(parameter.spec, specs.UnionSpec):
            certain |= specs.axis_names(parameter.spec)
    return {name: axes - certain for name, axes in found.items() if axes - certain}


def parameter_value(parameter: Parameter, names: Names, braces: frozenset[str]) -> Value:
    """What a body may assume of one parameter."""
    spec = parameter.spec
    if parameter.kind == "args":
        return assume(specs.SequenceSpec("tuple", spec), names, parameter.name)
    if parameter.kind == "kwargs":
        return assume(specs.DictSpec(spec), names, parameter.name)
    if isinstance(spec, specs.NumberSpec) and spec.kind == "int":
        if parameter.name in braces:
            return axis(parameter.name)
        if parameter.default is None:
            return axis(parameter.name, INTEGER_SCOPE)
    if isinstance(spec, specs.ObjectSpec):
        return passed_layer(spec.name, parameter.name, integer)
    if not isinstance(spec, specs.Anything):
        return _counted(assume(spec, names, parameter.name), parameter.name)
    match parameter.default:
        case ast.Constant(value=bool()):
            return Scalar("bool", parameter.name)
        case ast.Constant(value=int()):
            return integer(parameter.name)
        case ast.Constant(value=float()):
            return Scalar("float")
        case ast.Constant(value=str()):
            return Object("str")
    return UNKNOWN


def _counted(value: Value, name: str) -> Value:
    """A list or a dict that was passed has some number of items."""
    if isinstance(value, Sequence) and value.kind == "list" and value.items is None:
        return replace(value, length=lengths.of_passed(name))
    if isinstance(value, DictV) and value.kind == "dict" and value.rest is not None:
        return replace(value, length=lengths.of_passed(name))
    return value


__all__ = ["check_constructor", "check_function", "check_methods", "check_module"]
