"""Bodies that are wrong for some sizes, but not for those that the program itself gives.

A weight of ``(heads * width, dim)`` taken for one of ``(dim, heads * width)`` is right for as long as the two
are equal, and a file that only ever makes the model so works.  Where shapes are annotated the names are a
promise, and nothing is excused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.frame import Reporter
from typedtorch.shapes.infer.values import objects
from typedtorch.shapes.infer.values.values import FunctionV, Instance, is_size
from typedtorch.shapes.syntax import walk

if TYPE_CHECKING:
    from typedtorch.shapes.infer.calls.signatures import Signature
    from typedtorch.shapes.infer.classes.classes import ClassInfo
    from typedtorch.shapes.infer.interpreter import Interpreter

_DEPTH = 8  # of objects in objects
_EXAMPLES = 8


def excuse(
    interpreter: Interpreter,
    function: FunctionV,
    info: ClassInfo | None,
    signature: Signature,
    reporter: Reporter,
    before: Set[tuple[int, int, str]],
) -> None:
    """Take back what was reported in a body since, if the program's own numbers do not lead to it."""
    new = {key for key in reporter.findings.keys() - before if key[2] in ("shape", "einops")}
    annotated = function.module.annotates_shapes or signature.shaped  # by names from elsewhere, perhaps
    if not new or not reporter.counting or annotated:
        return
    examples = list(_examples(interpreter, function, info, signature))
    wrong = [_wrong(interpreter, example, only, new) for example, only in examples]
    for key in new.difference(*wrong) if wrong else ():
        del reporter.findings[key]


def _wrong(
    interpreter: Interpreter, function: FunctionV, only: Signature, asked: Set[tuple[int, int, str]]
) -> set[tuple[int, int, str]]:
    """What is also wrong in one case, or not known there."""
    from typedtorch.shapes.infer.reports.blame import findings_for_any  # noqa: PLC0415  # it checks, which asks this file

    trial = Reporter(function.module.path)
    findings_for_any(interpreter, function, None, only, trial)
    return {key for key in asked if key in trial.findings or not _is_known(function.node, key, trial)}


def _is_known(body: ast.AST, place: tuple[int, int, str], trial: Reporter) -> bool:
    """Whether the shape of an expression was known, or where it has none those of all tensors in it."""
    at = [n for n in walk(body) if isinstance(n, ast.expr) and (n.lineno, n.col_offset) == place[:2]]
    own = [trial.known[node] for node in at if node in trial.known]
    parts = [trial.known[part] for node in at for part in walk(node) if part in trial.known]
    return any(own) if own else bool(parts) and all(parts)


def _examples(
    interpreter: Interpreter, function: FunctionV, info: ClassInfo | None, signature: Signature
) -> Iterator[tuple[FunctionV, Signature]]:
    """A body with the numbers that are its defaults, of each object that the file makes with numbers."""
    only = _with_defaults(signature)
    parts = (part for made in interpreter.made for part in objects.objects_in(made, _DEPTH))
    own = (part for part in parts if isinstance(part, Instance) and part.info is info and _numbered(part))
    distinct = {str(sorted(part.arguments.items())): part for part in own}
    for part in list(distinct.values())[:_EXAMPLES] if isinstance(function.bound, Instance) else ():
        yield function.bind(part), only or signature
    if only is not None and not distinct:
        yield function, only


def _with_defaults(signature: Signature) -> Signature | None:
    """The signature of a call that gives no integers; None where it has to give some, or may give none."""
    sizes = [p for p in signature.parameters if _is_count(p.spec, p.default)]
    numbers = {p.name: p.default.value for p in sizes if isinstance(p.default, ast.Constant)}
    if not numbers or len(numbers) < len(sizes):
        return None
    parameters = [
        replace(p, spec=specs.LiteralSpec((numbers[p.name],))) if p.name in numbers else p
        for p in signature.parameters
    ]
    return replace(signature, parameters=parameters)


def _numbered(made: Instance) -> bool:
    return bool(made.arguments) and all(
        type(size) is int for size in made.arguments.values() if is_size(size)
    )


def _is_count(spec: specs.Spec, default: ast.expr | None) -> bool:
    if isinstance(spec, specs.NumberSpec):
        return spec.kind == "int"
    written = isinstance(default, ast.Constant) and type(default.value) is int
    return isinstance(spec, specs.Anything) and written
