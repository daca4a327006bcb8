"""FLOPs of a trace: one formula per operator, and a list of the operators without one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from typedtorch.accounting.attention import ATTENTION
from typedtorch.accounting.checks import shown
from typedtorch.accounting.contractions import CONTRACTIONS
from typedtorch.accounting.convolutions import CONVOLUTIONS
from typedtorch.accounting.count import Count
from typedtorch.accounting.elementwise import elementwise
from typedtorch.accounting.errors import AccountingError, UncountedError
from typedtorch.accounting.timeline import number
from typedtorch.accounting.trace import Op
from typedtorch.shapes.size import Size

FORMULAS: dict[str, Callable[[Op], Count]] = {**CONTRACTIONS, **CONVOLUTIONS, **ATTENTION}


@dataclass(frozen=True)
class Uncounted:
    """An operator without a formula: how often it ran and how many bytes went through it."""

    operator: str
    calls: int
    bytes: int


def family(name: str) -> str:
    """``aten.mm.default`` -> ``aten.mm``.

    >>> family("aten.addmm.out")
    'aten.addmm'
    """
    return name.rsplit(".", 1)[0].removesuffix("_")


def register_formula(operator: str, formula: Callable[[Op], Size]) -> None:
    """Count an operator of your own: ``formula`` gets the call and returns its FLOPs.

    ``operator`` is the qualified name without overload; the call's tensors are ``op.ins`` and
    ``op.outs``, their shapes numbers or polynomials.

    >>> register_formula("mylib.outer", lambda op: 2 * op.ins[0].numel * op.ins[1].numel)
    >>> "mylib.outer" in FORMULAS
    True
    """
    if not isinstance(operator, str) or "." not in operator or not callable(formula):
        raise AccountingError(
            "register_formula: wanted the qualified name of an operator ('mylib.outer') and a function of "
            f"its call, got {shown(operator)} and {shown(formula)}"
        )
    FORMULAS[operator] = lambda op: Count(matmul=formula(op))


def count(op: Op) -> Count | None:
    """What a call costs; None where no formula is known."""
    formula = FORMULAS.get(family(op.name))
    if formula is not None:
        return formula(op)
    return elementwise(op)


def moved(op: Op) -> Size:
    """Bytes read and written once each, of a sparse gradient's table its rows; nothing for a view."""
    counted = elementwise(op)
    if _is_view(op):
        return 0
    total: Size = 0
    rows = next((meta for meta in op.ins if meta.sparse), None)
    for meta in (*op.ins, *op.outs):
        one = meta.nbytes if rows is None or meta.sparse else rows.numel * meta.dtype.itemsize
        total = total + one
    return total if counted is not None or op.outs or op.ins else 0


def _is_view(op: Op) -> bool:
    """Nothing was allocated and every result lies in the memory of an operand."""
    if getattr(op.func, "is_view", False):
        return True
    return family(op.name) in _VIEWS


_VIEWS = {
    "aten._unsafe_view", "aten.detach", "aten.alias", "aten.lift_fresh", "aten._indices", "aten._values",
    "aten._sparse_coo_tensor_with_dims_and_tensors", "aten.is_coalesced",
}  # fmt: skip


def uncounted(ops: Iterable[Op]) -> tuple[Uncounted, ...]:
    """Operators no formula covers, the ones that move most bytes first."""
    calls: dict[str, int] = {}
    weight: dict[str, int] = {}
    for op in ops:
        if count(op) is None:
            calls[op.name] = calls.get(op.name, 0) + op.times
            weight[op.name] = weight.get(op.name, 0) + number(moved(op)) * op.times
    found = [Uncounted(name, calls[name], weight[name]) for name in calls]
    return tuple(sorted(found, key=lambda u: (-u.bytes, u.operator)))


def require_counted(found: tuple[Uncounted, ...]) -> None:
    """Raise where something was not counted.

    Raises:
        UncountedError: naming every operator, with calls and bytes.
    """
    if found:
        listed = "; ".join(f"{u.operator} ({u.calls} calls, {u.bytes} bytes)" for u in found)
        raise UncountedError(
            f"no FLOP formula for {listed}; register one with typedtorch.accounting.register_formula, "
            "or account without strict=True, which lists them in .uncounted"
        )
