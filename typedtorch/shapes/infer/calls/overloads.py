"""Functions with several signatures: which of them a call means."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from typedtorch.shapes.infer.annotations.unify import match
from typedtorch.shapes.infer.calls.binding import Args, Parameter, bind, callee, complete, kind_fits
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.program.class_text import Def
from typedtorch.shapes.infer.reports import messages
from typedtorch.shapes.infer.values.values import UNKNOWN, FunctionV, Tensor, Value, join_all
from typedtorch.shapes.tensor import Pack


def call_overloaded(frame: Frame, function: FunctionV, args: Args, node: ast.AST) -> Value:
    """The first overload that fits, or all while too little is known; if none, what contradicts the first."""
    interpreter = frame.interpreter
    failures = []
    results: list[Value] = []
    for i, definition in enumerate(function.overloads):
        candidate = replace(function, node=definition, overloads=())
        signature = interpreter.signature(candidate)
        bound = bind(signature.parameters, args)
        if bound is None or not complete(signature.parameters, bound):
            continue
        names = interpreter.call_names(frame, candidate, bound, node)
        problems = []
        kinds_fit = True
        for parameter in signature.parameters:
            if parameter.name in bound and parameter.kind in ("positional", "keyword"):
                value, where = bound[parameter.name]
                binder = parameter.name if where is None else source(where, 40)
                kinds_fit = kinds_fit and kind_fits(parameter.spec, value)
                problems += [
                    (p, where, parameter) for p in match(parameter.spec, value, names, binder=binder)
                ]
        if not kinds_fit:
            continue
        if not problems and _is_said_again(definition, function.overloads):
            return UNKNOWN
        if not problems:
            made = interpreter.function_result(frame, candidate, signature, bound, names, node, failed=False)
            results.append(made)
            if not _may_mean_another(signature.parameters, bound, function.overloads[i + 1 :]):
                break
            continue
        failures.append(problems[0])
    if results:
        return join_all(results, frame.place(node))
    if failures:
        problem, where, parameter = failures[0]
        if where is not None:
            messages.argument(frame, where, callee(node), problem)
    return UNKNOWN


def _is_said_again(definition: Def, overloads: tuple[Def, ...]) -> bool:
    """Whether another overload takes the same: which of them is meant, nothing tells."""
    taken = ast.dump(definition.args)
    return any(other is not definition and ast.dump(other.args) == taken for other in overloads)


def _may_mean_another(
    parameters: list[Parameter], bound: Mapping[str, tuple[Value, ast.expr | None]], others: tuple[Def, ...]
) -> bool:
    """Whether an argument of which too little is known goes where a later overload takes something else."""
    for parameter in parameters:
        if parameter.name in bound and _is_open(bound[parameter.name][0]):
            taken = _text(parameter.annotation)
            for other in others:
                arguments = (*other.args.posonlyargs, *other.args.args, *other.args.kwonlyargs)
                if any(a.arg == parameter.name and _text(a.annotation) != taken for a in arguments):
                    return True
    return False


def _is_open(value: Value) -> bool:
    """Whether a value may be of several kinds, or a tensor of several ranks."""
    if isinstance(value, Tensor):
        return any(isinstance(entry, Pack) for entry in value.shape)
    return value is UNKNOWN


def _text(annotation: ast.expr | None) -> str:
    return "" if annotation is None else ast.dump(annotation)


__all__ = ["call_overloaded"]
