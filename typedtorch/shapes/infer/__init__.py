"""The inference engine: shapes of a program's tensors, from its text alone.

``checking`` checks a module; ``interpreter`` holds what is remembered meanwhile, ``frame`` one body, and
``files`` finds modules. The rest lies in packages; of each, the module in brackets is the one to read first:

- ``program``: the text of a program, before anything of it is evaluated (``program``)
- ``values``: what an expression may stand for, and what two of these have in common (``values``)
- ``annotations``: what annotations say: read, taken as given, and held against values (``reading``)
- ``expressions``: expressions, one function for each kind (``expressions``)
- ``statements``: statements, one function for each kind, and the ways that lead through them (``statements``)
- ``conditions``: what tests prove of values and sizes in the branches they lead to (``refine``)
- ``containers``: lists, tuples, dicts and sets: what is in them, and what changes it (``containers``)
- ``calls``: calls of the program's own functions: arguments, bodies, results (``calls``)
- ``library``: functions of Python and torch for which a shape rule is not the right form (``library``)
- ``classes``: classes of the program, their objects, and what is true of these all along (``classes``)
- ``layers``: modules: torch's own layers, containers of modules, and parts that are exchanged (``layers``)
- ``operators``: operators of torch, numpy and einops, through their rules (``operators``)
- ``promises``: what holds of a function whoever calls it: what it gives, what it needs (``summaries``)
- ``reports``: what is told of a contradiction: where, how, with which fix, and only once (``messages``)

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
from typedtorch.shapes.infer.program.program import Options, Program
from typedtorch.shapes.infer.program.reached import Reach

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
