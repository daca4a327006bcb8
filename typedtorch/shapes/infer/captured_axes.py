"""Bodies of inner functions whose axis names meet those of the function around them.

``def masked(mask: Bool[Tensor, "seq"]): return scores * mask``, in a function whose scores are ``n`` long, is
right if it is called with masks of that length.  Its own body is not blamed: its calls, all of them in sight,
are checked with the tensors that it captured.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from typing import TYPE_CHECKING

from typedtorch.shapes.infer import specs
from typedtorch.shapes.infer.contents import sizes_in
from typedtorch.shapes.infer.frame import Reporter
from typedtorch.shapes.infer.values import UNKNOWN, FunctionV, Instance, Value
from typedtorch.shapes.size import Atom

if TYPE_CHECKING:
    from typedtorch.shapes.infer.interpreter import Interpreter
    from typedtorch.shapes.infer.signatures import Signature

_CODES = ("shape", "broadcast", "einops")


def excuse(
    interpreter: Interpreter,
    function: FunctionV,
    signature: Signature,
    reporter: Reporter,
    before: Set[tuple[int, int, str]],
) -> None:
    """Take back what was reported in a body since, if it is right for some tensors around it."""
    new = {key for key in reporter.findings.keys() - before if key[2] in _CODES}
    if not new or not function.closure or not signature.shaped:
        return
    own = {name for p in signature.parameters for name in specs.binding_names(p.spec)} | signature.existential
    others = {name: UNKNOWN for name, value in function.closure.items() if _has_others(value, own)}
    if not others:
        return
    from typedtorch.shapes.infer.blame import findings_for_any  # noqa: PLC0415  # it checks, which asks this file

    trial = Reporter(function.module.path, counting=False)
    findings_for_any(
        interpreter, replace(function, closure={**function.closure, **others}), None, None, trial
    )
    for key in new - trial.findings.keys():
        del reporter.findings[key]


def _has_others(value: Value, own: Set[str]) -> bool:
    """Whether a tensor, or one of several that it may be, has axes that a signature does not name."""
    if isinstance(value, Instance | FunctionV):
        return False
    names = {atom.name for atom in sizes_in(value) if isinstance(atom, Atom) and atom.kind == "axis"}
    return not names <= own
