"""One of several values: what is made of them together, and what of it is reported."""

from __future__ import annotations

import ast
from collections.abc import Callable

from typedtorch.shapes.infer.conditions import proven
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.values import UNKNOWN, Choice, Value, join_all


def for_each(frame: Frame, options: list[Value], evaluate: Callable[[Value], Value], node: ast.AST) -> Value:
    """What is made of one of several values: an error only if every one of them is refused."""
    results: list[Value] = []
    failures = 0
    reporter = frame.reporter
    before, elsewhere = reporter.findings, reporter.elsewhere  # a loop keeps those of each turn: they stay
    after = before, elsewhere
    for option in options:
        reporter.findings, reporter.elsewhere = dict(before), dict(elsewhere)
        results.append(evaluate(option))
        if len(reporter.findings) + len(reporter.elsewhere) > len(before) + len(elsewhere):
            failures += 1
            after = reporter.findings, reporter.elsewhere
    reporter.findings, reporter.elsewhere = before, elsewhere
    if options and failures == len(options):
        before.update(after[0])
        elsewhere.update(after[1])
    return join_all(results, frame.place(node)) if results else UNKNOWN


def in_general(frame: Frame, value: Value) -> Value:
    """What one of several values is where names are sizes of their own, and no way here says more of them."""
    general = None if frame.is_qualified() or not isinstance(value, Choice) else proven.general(value)
    return value if general is None else general


__all__ = ["for_each", "in_general"]
