"""What the engine reports, as data, and what each code means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One message about one span of source.  Columns count from 0, lines from 1, of a notebook by cell."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    message: str
    hint: str | None = None
    severity: Literal["error", "note"] = "error"
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many tensor-valued expressions there are, and of how many the shape is known."""

    known: int = 0
    total: int = 0

    def __add__(self, other: Coverage) -> Coverage:
        return Coverage(self.known + other.known, self.total + other.total)


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of checking one module."""

    findings: list[Finding]
    coverage: Coverage


EXPLAIN = {
    "shape": (
        "A shape contradicts an annotation, or an operator would refuse it.\n\n"
        "    def project(x: Float[Tensor, 'batch d'], w: Float[Tensor, 'd k']) -> Float[Tensor, 'batch k']:\n"
        "        return x @ w.T        # the last axis of x is d, the first axis of w.T is k\n\n"
        "Axis names of a signature are generic: the code must work for every size, so two names are two\n"
        "different sizes. Say that they are equal with one name, or assert it:\n"
        "assert x.shape[0] == y.shape[0]."
    ),
    "broadcast": (
        "A broadcast repeats an axis name: (batch,) with (batch, 1) gives (batch, batch).\n\n"
        "    loss = ((prediction - target) ** 2).mean()   # prediction (batch, 1), target (batch,)\n\n"
        "Remove the axis of size one (squeeze(-1)), or make the outer product explicit:\n"
        "x[:, None] - y[None, :]."
    ),
    "dtype": (
        "A dtype contradicts an annotation, or an operator would refuse it.\n\n"
        "    cross_entropy(logits, one_hot.float().long())   # targets are class indices: Int64\n\n"
        "Cast where you mean it: x.float(), x.to(y.dtype), x.long()."
    ),
    "axes": (
        "A string that is not in jaxtyping's axis language.\n\n"
        "    Float[Tensor, 'batch, seq']    # axes are separated by spaces: 'batch seq'\n\n"
        "Names, integers, '...', '*name', '#name', '_', 'name=4' and expressions such as '2*d' are allowed."
    ),
    "einops": (
        "A pattern that einops refuses whatever it is given.\n\n"
        "    reduce(x, 'b d -> b', 'avg')    # not a reduction: 'mean'\n\n"
        "A pattern that does not fit the tensor it is given is an error under shape."
    ),
    "contiguity": (
        "A view that the memory layout makes impossible.\n\n"
        "    x.transpose(1, 2).view(batch, seq, -1)   # use reshape, or contiguous() first\n"
    ),
    "attribute": (
        "A module has no attribute of this name: neither its class nor its bases assign, declare or\n"
        "register it. nn.Module answers every name with Tensor | Module, so mypy alone cannot tell."
    ),
    "unused-ignore": (
        'A "# typedtorch: ignore" that switches nothing off, reported under --warn-unused-ignores.\n'
        "What it was written for is gone, and what comes would be hidden: remove it, or the code that\n"
        "it need not list."
    ),
    "syntax": (
        "The file could not be read as Python, so nothing in it was checked. It is read by the Python that "
        "runs typedtorch: syntax of a newer one needs a newer one."
    ),
}
