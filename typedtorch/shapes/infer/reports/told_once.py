"""One fault, one error: of the findings of a module, those that say what another has said."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from typedtorch.shapes.ignores import read
from typedtorch.shapes.infer.reports.grounds import Ground
from typedtorch.shapes.syntax import walk

if TYPE_CHECKING:
    from typedtorch.shapes.findings import Finding
    from typedtorch.shapes.infer.program.program import Module

Key = tuple[int, int, str]


@dataclass(slots=True)
class _Told:
    finding: Finding
    ground: Ground
    begins: int  # the line of the ``def`` around it, 0 outside of all
    statement: int  # the line of the statement that it stands in
    lines: list[int]  # where else it shows

    @property
    def shown(self) -> list[int]:
        """All lines on which it shows."""
        return [self.finding.line, *self.lines]


def told_once(
    module: Module, findings: Mapping[Key, Finding], grounds: Mapping[Key, Ground]
) -> list[Finding]:
    """The findings, in the order in which they arose, without those that follow from another.

    Where a comment switches a finding off it stays, and nothing is left out because of it.
    """
    if len(findings) < 2:
        return list(findings.values())
    ignored = read(module.text)
    bodies, statements = _spans(module.tree, _FUNCTIONS), _spans(module.tree, _STATEMENTS)
    told = [
        _Told(f, grounds.get(key, _UNKNOWN), _begins(bodies, f.line), _begins(statements, f.line), [])
        for key, f in findings.items()
    ]
    open_ = [
        t for t in told if t.finding.severity == "error" and not ignored(t.finding.lines, t.finding.code)
    ]
    kept: list[_Told] = []
    for one in sorted(open_, key=lambda t: _is_of_numbers(t.ground)):
        if _is_inside_another(one, open_, module.path):
            continue
        first = next((other for other in kept if _is_same(one, other)), None)
        if first is None:
            kept.append(one)
        elif one.ground.steps and one.finding.line not in first.shown:
            first.lines.append(one.finding.line)
            if first.ground.steps and one.finding.line < first.finding.line:
                kept[kept.index(first)] = one
                one.lines = [first.finding.line, *first.lines[:-1]]
    left_out = {id(t) for t in open_} - {id(t) for t in kept}
    return [_said(t) for t in told if id(t) not in left_out]


_UNKNOWN = Ground()


def _said(told: _Told) -> Finding:
    if not told.lines:
        return told.finding
    lines = ", ".join(map(str, sorted(told.lines)))
    where = f"(also from line{'s' if len(told.lines) > 1 else ''} {lines})"
    return told.finding._replace(message=f"{told.finding.message} {where}")


def _is_inside_another(one: _Told, others: Iterable[_Told], path: str) -> bool:
    """Whether a finding that a call led to comes from a body with an error of its own."""
    if one.ground.called and any(_is_own(other, one) and other.begins == one.begins for other in others):
        return True
    for step in one.ground.steps:
        for other in others:
            if other is one or step.path != path or other.finding.code != one.finding.code:
                continue
            if other.ground.called > one.finding.line:
                continue  # that is brought by a later call, which fails where this one did
            if other.finding.line == step.line and step.line != one.finding.line:
                return True
            if step.annotated and _is_own(other, one) and other.begins == step.begins:
                return True
    if one.ground.called:  # the same call is told where it stands, and what was wrong before in the body
        return any(
            (other.finding.line == one.ground.called and _leads_before(other, one))
            or (other.finding.line < one.ground.called and _leads_to(other, one))
            for other in others
        )
    return False


def _leads_before(other: _Told, one: _Told) -> bool:
    return any(step.begins == one.begins and step.line < one.finding.line for step in other.ground.steps)


def _leads_to(other: _Told, one: _Told) -> bool:
    """Whether the call of one finding leads to the line of another."""
    led = any(step.line == one.finding.line for step in other.ground.steps)
    return led and other.finding.code == one.finding.code


def _is_own(other: _Told, one: _Told) -> bool:
    """Whether a finding stands in a body whoever calls it, and is of the kind of another."""
    known = other is not one and not other.ground.steps and not other.ground.called
    return known and bool(other.begins) and other.finding.code == one.finding.code


def _is_same(one: _Told, other: _Told) -> bool:
    """Whether two findings come from one place that calls lead to, or one is the other with numbers.

    Of expressions in different statements each may be wrong for itself: all are told.
    """
    if one.finding.code != other.finding.code:
        return False
    mine, others = one.ground, other.ground
    if mine.steps and others.steps:
        return mine.steps[-1].annotated and mine.steps[-1] == others.steps[-1]
    if one.statement == other.statement and mine.names & others.names:
        return bool(mine.clash) and mine.clash == others.clash
    return _is_instance(mine, others)


def _is_instance(mine: Ground, others: Ground) -> bool:
    """Whether some numbers clash in an attribute of a class where names were seen to."""
    named = bool(others.clash) and not any(size.isdigit() for size in others.clash)
    shared = mine.names & others.names
    return _is_of_numbers(mine) and named and any("." in name and ":" not in name for name in shared)


def _is_of_numbers(ground: Ground) -> bool:
    return bool(ground.clash) and all(size.isdigit() for size in ground.clash)


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_STATEMENTS = (ast.stmt,)


def _spans(tree: ast.AST, kinds: tuple[type[ast.stmt], ...]) -> list[tuple[int, int]]:
    return [(n.lineno, n.end_lineno or n.lineno) for n in walk(tree) if isinstance(n, kinds)]


def _begins(spans: list[tuple[int, int]], line: int) -> int:
    """The line where the innermost of some spans around a line begins, 0 outside of all."""
    return max((first for first, last in spans if first <= line <= last), default=0)


__all__ = ["told_once"]
