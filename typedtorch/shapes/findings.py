"""What the engine reports, as data, and what each code means."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Finding(NamedTuple):
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

    @property
    def lines(self) -> range:
        """The lines of its span: a comment on any of them may switch it off, as mypy has it."""
        return range(self.line, self.end_line + 1)


class Coverage(NamedTuple):
    """How many tensor-valued expressions there are, and of how many the shape is known."""

    known: int = 0
    total: int = 0

    def plus(self, other: Coverage) -> Coverage:
        """Of both together."""
        return Coverage(self.known + other.known, self.total + other.total)


class Report(NamedTuple):
    """The outcome of checking one module."""

    findings: list[Finding]
    coverage: Coverage


EXPLAIN = {
    "shape": (
        "A shape contradicts an annotation, or an operator would refuse it.\n\n"
        "    def project(x: Float[Tensor, 'batch d'], w: Float[Tensor, 'd k']) -> Float[Tensor, 'batch k']:\n"
        "        return x @ w.T        # the last axis of x is d, the first axis of w.T is k\n\n"
        "Axis names of a signature are generic: the code must work for every size, so two names are two\n"
        "different sizes. Where they are always equal, use one name, or assert it:\n"
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
        "    cross_entropy(logits, labels.float())   # class indices are int64, not float32\n\n"
        "Remove the cast, or cast explicitly: x.float(), x.to(y.dtype), x.long()."
    ),
    "axes": (
        "An annotation whose string is not valid for jaxtyping, or that no tensor could match.\n\n"
        "    Float[Tensor, 'batch, seq']    # axes are separated by spaces: 'batch seq'\n\n"
        "Names, integers, '...', '*name', '#name', '_', 'name=4' and expressions such as '2*d' are allowed."
    ),
    "einops": (
        "A pattern that einops refuses for every tensor.\n\n"
        "    reduce(x, 'b d -> b', 'avg')    # 'avg' is not a reduction: write 'mean'\n\n"
        "A pattern that does not fit its tensor is reported as shape."
    ),
    "contiguity": (
        "A view that the memory layout makes impossible for any sizes.\n\n"
        "    x.transpose(1, 2).view(batch, seq, -1)   # use reshape, or contiguous() first\n"
    ),
    "attribute": (
        "A module has no attribute of this name: neither its class nor its bases assign, declare or\n"
        "register it.\n\n"
        "    self.project = nn.Linear(64, 64)\n"
        "    self.proejct(x)    # write self.project(x)\n\n"
        "mypy alone does not report it, because nn.Module has a __getattr__ that accepts every name.\n"
        "Or a dict has no such key, where all of its keys are seen being put in:\n\n"
        "    batch = {'inputs': x, 'labels': y}\n"
        "    batch['label']     # write batch['labels']"
    ),
    "unused-ignore": (
        'A "# typedtorch: ignore" comment that silences nothing; reported under --warn-unused-ignores.\n\n'
        "    return x @ y    # typedtorch: ignore[shape]    where x @ y is no error\n\n"
        "Remove the comment, or the codes in it that are not needed: it would hide later errors."
    ),
    "syntax": (
        "The file could not be parsed, so nothing in it was checked. Files are parsed by the Python that\n"
        "runs typedtorch, so newer syntax needs a newer Python."
    ),
}
