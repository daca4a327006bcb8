"""The inference engine: shapes of a program's tensors, from its text alone.

>>> from pathlib import Path
>>> report = Program(lambda name: None).check("example", Path("example.py"), '''
... from jaxtyping import Float
... from torch import Tensor
... def project(x: Float[Tensor, "b d"], w: Float[Tensor, "k d"]) -> Float[Tensor, "b k"]:
...     return x @ w
... ''')
>>> print(report.findings[0].message)
x @ w: the last axis of x is d and the first axis of w is k
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typedtorch.shapes.rules  # noqa: F401 - importing it fills the rule table
from typedtorch.shapes.findings import EXPLAIN, Coverage, Finding, Report
from typedtorch.shapes.infer.files import find_in
from typedtorch.shapes.infer.program import Options, Program
from typedtorch.shapes.infer.reached import Reach

__all__ = [
    "EXPLAIN",
    "Coverage",
    "Finding",
    "Options",
    "Program",
    "Reach",
    "Report",
    "check_files",
]


def check_files(paths: Sequence[Path], *, search: Sequence[Path] = ()) -> list[Finding]:
    """Findings of the given files; other modules are looked for beside them and in ``search``."""
    findings: list[Finding] = []
    for path in paths:
        roots = [path.parent, *search]
        program = Program(lambda name, roots=roots: find_in(roots, name))  # type: ignore[misc]  # bound per file
        findings.extend(program.check(path.stem, path).findings)
    return findings
