"""Bodies of inner functions whose axis names meet those of the function around them.

``def masked(mask: Bool[Tensor, "seq"]): return scores * mask``, in a function whose scores are ``n`` long, is
right if it is called with masks of that length.  Its own body is not blamed: its calls, all of them in sight,
are checked with the tensors that it captured.  What is wrong with them alone, or for any sizes of theirs, is.
"""

from __future__ import annotations

import ast
from collections.abc import Set
from dataclasses import replace
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.frame import Reporter
from typedtorch.shapes.infer.values.contents import Substitution, sizes_in
from typedtorch.shapes.infer.values.values import FunctionV, Instance, Value
from typedtorch.shapes.size import Atom, unknown
from typedtorch.shapes.tensor import ANY_AXES, Pack

if TYPE_CHECKING:
    from typedtorch.shapes.infer.calls.signatures import Signature
    from typedtorch.shapes.infer.interpreter import Interpreter

_CODES = ("shape", "broadcast", "einops")
_tried: set[ast.AST] = set()  # inner functions that are being checked on trial


def excuse(
    interpreter: Interpreter,
    function: FunctionV,
    signature: Signature,
    reporter: Reporter,
    before: Set[tuple[int, int, str]],
) -> None:
    """Take back what was reported in a body since, if it is right for some tensors around it."""
    new = {key for key in reporter.findings.keys() - before if key[2] in _CODES}
    if not new or not function.closure or not signature.shaped or function.node in _tried:
        return
    own = {name for p in signature.parameters for name in specs.binding_names(p.spec)} | signature.existential
    loose = {name: _loosened(value, own) for name, value in function.closure.items()}
    if all(loose[name] is value for name, value in function.closure.items()):
        return
    of_any = replace(function, closure={**function.closure, **loose})
    of_nothing = replace(
        signature, parameters=[replace(p, spec=specs.Anything()) for p in signature.parameters]
    )
    still = _found(interpreter, of_any, None) | _found(interpreter, function, of_nothing)
    for key in new - still:
        del reporter.findings[key]


def _found(
    interpreter: Interpreter, function: FunctionV, only: Signature | None
) -> Set[tuple[int, int, str]]:
    from typedtorch.shapes.infer.reports.blame import findings_for_any  # noqa: PLC0415  # it checks, which asks this file

    trial = Reporter(function.module.path, counting=False)
    _tried.add(function.node)
    try:
        findings_for_any(interpreter, function, None, only, trial)
    finally:
        _tried.discard(function.node)
    return trial.findings.keys()


def _loosened(value: Value, own: Set[str]) -> Value:
    """A tensor, or what holds some, of any sizes where it has axes that a signature does not name."""
    if isinstance(value, Instance | FunctionV):
        return value
    held = [part for part in sizes_in(value) if part.name not in own]
    axes = [part for part in held if isinstance(part, Atom) and part.kind == "axis"]
    runs = {part: (ANY_AXES,) for part in held if isinstance(part, Pack)}
    return Substitution({axis: unknown(f"?{axis.name}") for axis in axes}, runs)(value)
