"""``*batch`` claims every number of axes; a body that fits none of the first few contradicts itself.

With a run of axes of unknown number much cannot be told: ``x.sum(0)`` of ``(*batch, d)`` may be a
batch axis or ``d``.  So a body in which nothing else is wrong is evaluated again with one axis in
place of the run, then two, then three, until it fits.  What is reported is what goes wrong with one.

A number of axes for which the body itself does nothing but ``raise`` is not tried.

So it is with a parameter that takes tensors of several shapes, ``Float[Tensor, "b d"] | Float[Tensor, "d"]``:
a body that fits none of them contradicts itself.  And so the shortest call, which leaves out what it may
(``left_out.py``), and the runs of a parametrized test (``fixtures.py``).
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from typedtorch.shapes.findings import Finding
from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.assuming import Names
from typedtorch.shapes.infer.frame import Reporter
from typedtorch.shapes.infer.promises import fixtures
from typedtorch.shapes.infer.promises.left_out import shortest
from typedtorch.shapes.infer.values.values import Instance, Value
from typedtorch.shapes.tensor import ANY_AXES, Entry, Pack, Shape, Tensor, pack_index

if TYPE_CHECKING:
    from typedtorch.shapes.infer.classes.classes import ClassInfo
    from typedtorch.shapes.infer.interpreter import Interpreter, Signature
    from typedtorch.shapes.infer.values.values import FunctionV

COUNTS = (1, 2, 3)
_OF_VALUES = ("shape", "dtype")  # codes of what goes wrong in a run; others speak of what is written


def run_of_axes(signature: Signature) -> str | None:
    """The one run of axes in the parameters, ``...`` for one without a name; None where it is not certain.

    Beside a tensor with axes of its own the run may be meant to be none at all, and so may one without a
    name that stands behind other axes, or beside another.
    """
    arrays = [a for p in signature.parameters for a in _arrays(p.spec)]
    found = {name for a in arrays for name in _runs(a)}
    if len(found) != 1:
        return None
    with_run = [a for a in arrays if _runs(a)]
    if found == {"..."} and [a.axes.variadic for a in arrays if a.axes.variadic is not None] != [0]:
        return None
    names = set().union(*(specs.binding_names(a) for a in with_run))
    beside = set().union(*(specs.binding_names(a) for a in arrays))
    return found.pop() if beside <= names else None


def _arrays(spec: specs.Spec) -> list[specs.ArraySpec]:
    match spec:
        case specs.ArraySpec():
            return [spec]
        case specs.UnionSpec(options=parts) | specs.TupleSpec(items=parts):
            return [array for part in parts for array in _arrays(part)]
    return []


def _runs(spec: specs.ArraySpec) -> list[str]:
    if spec.axes.text == "...":
        return []
    runs = [d for d in spec.axes.dims if d.variadic and not d.broadcastable and not d.treepath]
    return ["..." if d.kind == "anonymous" else d.name for d in runs]


def only_broadcastable(signature: Signature) -> set[str]:
    """Names that stand in the parameters as ``#n`` alone."""
    dims = [d for p in signature.parameters for a in _arrays(p.spec) for d in a.axes.dims]
    return {d.name for d in dims if d.broadcastable} - {d.name for d in dims if not d.broadcastable}


def check(
    interpreter: Interpreter,
    function: FunctionV,
    signature: Signature,
    reporter: Reporter,
    info: ClassInfo | None,
) -> None:
    """Report what goes wrong with every number of axes, each shape of a parameter, or the shortest call."""
    if _blamed(function.node, reporter):
        return
    found = _found(interpreter, function, _trials(signature), reporter.path, info)
    short = None if found is not None else shortest(signature)
    if short is not None:
        found = _found(interpreter, function, _with_defaults(signature, *short), reporter.path, info)
    for only, what in () if found is not None else fixtures.runs(interpreter, function, signature):
        told = _found(interpreter, function, [_Trial(None, only, what, whole=True)], reporter.path, info)
        if told is not None and told.code in _OF_VALUES:
            found = told
            break
    if found is not None:
        reporter.findings.setdefault((found.line, found.column, found.code), found)


def _found(
    interpreter: Interpreter,
    function: FunctionV,
    trials: list[_Trial],
    path: str,
    info: ClassInfo | None,
) -> Finding | None:
    """What goes wrong in every trial."""
    from typedtorch.shapes.infer.checking import check_function  # noqa: PLC0415 - checking calls this

    pending = interpreter.pending, interpreter.pending_classes
    first: Reporter | None = None
    everywhere: set[int] | None = None
    several = bool(trials) and trials[0].only is not None and trials[0].spread is None
    for tried in trials:
        trial = Reporter(path, counting=False)
        interpreter.pending, interpreter.pending_classes = {}, {}
        try:
            returns = check_function(interpreter, function, trial, info, spread=tried.spread, only=tried.only)
        finally:
            interpreter.pending, interpreter.pending_classes = pending
        if not returns and not trial.findings:
            continue  # the body itself refuses this one
        lines = {line for line, _, _ in trial.findings}
        if tried.whole and lines:
            return _told(min(trial.findings.items())[1], tried)
        if several:
            # each shape may have a branch of its own, so what is wrong is wrong in one line, on every way
            lines -= _in_branches(function.node)
        everywhere = lines if everywhere is None or not several else everywhere & lines
        first = first or trial
        if not everywhere:
            return None
    if first is None or not everywhere:
        return None
    if several:
        return min((k, f) for k, f in first.findings.items() if k[0] in everywhere)[1]
    return _told(min(first.findings.items())[1], trials[0])


def _told(finding: Finding, tried: _Trial) -> Finding:
    return finding._replace(message=f"{finding.message}, where {tried.what}") if tried.what else finding


@dataclass(frozen=True, slots=True)
class _Trial:
    """What a signature is taken for once: so many axes in place of its run, or one shape of several."""

    spread: dict[str, int] | None
    only: Signature | None = None
    what: str = ""
    whole: bool = False  # one call that the signature promises, not one of several that may be meant


def _trials(signature: Signature) -> list[_Trial]:
    name = run_of_axes(signature)
    if name is not None:
        return [_Trial({name: count}) for count in COUNTS]
    return _alternatives(signature)


def _with_defaults(signature: Signature, short: Signature, what: str) -> list[_Trial]:
    name = run_of_axes(signature)
    if name is not None:
        return [_Trial({name: count}, short, what) for count in COUNTS]
    return [_Trial(None, short, what, whole=True)]


def _alternatives(signature: Signature) -> list[_Trial]:
    """The signature with each of the shapes that its one parameter of several shapes takes.

    None where an argument that may be left out has axes of its own, which may be meant to be others'.
    """
    several = {}
    for i, parameter in enumerate(signature.parameters):
        options = parameter.spec.options if isinstance(parameter.spec, specs.UnionSpec) else ()
        arrays = [option for option in options if isinstance(option, specs.ArraySpec)]
        if len(arrays) > 1:
            if len(arrays) + sum(isinstance(o, specs.NoneSpec) for o in options) < len(options):
                return []
            several[i] = arrays
    if len(several) != 1:
        return []
    ((place, arrays),) = several.items()
    before, own, after = (
        signature.parameters[:place],
        signature.parameters[place],
        signature.parameters[place + 1 :],
    )
    named = [(isinstance(p.spec, specs.UnionSpec), specs.axis_names(p.spec)) for p in (*before, *after)]
    certain = specs.axis_names(own.spec).union(*(names for optional, names in named if not optional))
    if any(optional and not names <= certain for optional, names in named):
        return []
    return [
        _Trial(
            None,
            replace(signature, parameters=[*before, replace(own, spec=a), *after]),
        )
        for a in arrays
    ]


def seen_from(names: Names, signature: Signature, receiver: Value) -> Value:
    """An object as a method sees it that has runs of axes of its own.

    A run of the same name is the method's, however many axes that is; a run of another name may be any.
    """
    given = {name for p in signature.parameters for array in _arrays(p.spec) for name in _runs(array)}
    if not isinstance(receiver, Instance) or not signature.shaped:
        return receiver
    kept = {name for array in _arrays(signature.result) for name in _runs(array)} - given

    def seen(entry: Entry) -> Shape:
        if not isinstance(entry, Pack) or entry.name in kept:
            return (entry,)
        return names.pack(entry.name) if entry.name in given else (ANY_AXES,)

    attributes = {
        name: replace(value, shape=tuple(e for entry in value.shape for e in seen(entry)))
        for name, value in receiver.attributes.items()
        if isinstance(value, Tensor) and pack_index(value.shape) is not None
    }
    return replace(receiver, attributes={**receiver.attributes, **attributes}) if attributes else receiver


def _in_branches(node: ast.AST) -> set[int]:
    """Lines of a body that need not be reached: a flag beside a parameter may say which shape it has."""
    branches = [n for n in ast.walk(node) if isinstance(n, (ast.If, ast.Match, ast.IfExp, ast.Try))]
    return {line for n in branches for line in range(n.lineno, (n.end_lineno or n.lineno) + 1)}


def _blamed(node: ast.AST, reporter: Reporter) -> bool:
    start, end = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    return any(start <= line <= end for line, _, _ in reporter.findings)


__all__ = ["check", "only_broadcastable", "run_of_axes"]
