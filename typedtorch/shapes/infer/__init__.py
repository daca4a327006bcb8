"""The inference engine: shapes of a program's tensors, from its text alone.

Where to find what; the first module of each list is the one to read first:

- one check: checking (a module), interpreter (what is remembered), frame (one body), files
- program text: program, bindings, stars, index, integral, tables, class_kinds, class_text, reached
- values: values, stand_ins, state (variables, joins), tensor_joins, kinds, contents, objects, likeness
- annotations: reading, annotation_slips, specs, assuming, declared, unify, perhaps_none, runs (*batch),
  problems
- expressions: expressions, choosing, arithmetic, operands, comparing, attributes, subscripts, slicing,
  comprehension, numbers, fractions, local_numbers
- statements: statements, assignment, unpacking, refine (conditions), asking, limited_sizes, padded, equated,
  solving, proven, checks, places, patterns, asserted, contexts, expected_errors, loops, turns, ages,
  iteration, paths, both_ways, edges
- containers: containers, container_methods, sets, items, item_axes, lengths, grown, filled, defaults, listed,
  missing_keys, records, enumerations, mutation, stored, shared
- calls: calls, arguments, binding, exchanged, signatures, methods, inlining, aftermath, brought, results,
  memo, effects, alternatives, overloads, definitions, inner_changes, wrappers, late
- known functions: library, folded, written_calls, operator_module, itertools_module, random_module,
  transforms, derivatives, autograd, batching, loading, options
- classes: classes, class_bodies, construction, new_objects, passed_objects, annotated_attributes,
  attribute_dicts, given_sizes, passed, links, updates, attribute_stores, kept_shapes, kept_items, layers,
  made_layers, registering, surgery, registries, layer_dtype
- operators: operators, several_objects, rule_values, operand_ranks, demands, ties, read_items, constants,
  refusals
- promises of a signature: summaries, as_made, preconditions, ranks, left_out, fixtures, inherited
- reports: messages, numpy_words, blame, outliers, grounds, told_once, own_numbers, captured_axes, misaligned,
  repairs, proposals, other_results, trials, unbound_axes

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
