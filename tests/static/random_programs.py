"""Random programs: what is known of them is held against runs of them.

A program has variables of several kinds and takes its expressions and statements from the tables of a
grammar.  In a template a capital letter stands for any expression of a kind, a small one for a variable of
it, ``n`` for a number and ``c`` for a condition; a line with ``reveal_type`` asks what is known there.
"""

from __future__ import annotations

import random
import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import product
from string import Formatter
from types import FrameType
from typing import Any

import torch

Kind = str


@dataclass(frozen=True)
class Grammar:
    """What programs are made of.

    ``often`` has a letter for each kind, one more where new variables are more often of it; ``start`` is what
    a variable of each kind is at the beginning, and ``simplest`` an expression that needs no others.
    """

    prelude: str
    expressions: dict[Kind, list[str]]
    statements: list[str]
    conditions: list[str]
    blocks: list[str]
    asked: dict[Kind, list[str]]
    often: str
    start: dict[Kind, str] = field(default_factory=dict)
    simplest: dict[Kind, str] = field(default_factory=dict)


INDENT = "    "
DEEPEST = 3


class Generator:
    """One random program of a grammar, the same for the same seed."""

    def __init__(self, grammar: Grammar, seed: int) -> None:
        self.grammar = grammar
        self.random = random.Random(seed)
        self.lines = [f"{INDENT}{kind.lower()}0 = {value}" for kind, value in grammar.start.items()]
        self.variables = {
            kind: [f"{kind.lower()}0"] if kind in grammar.start else [] for kind in grammar.expressions
        }
        self.count = 0

    def program(self) -> str:
        """The text: a prelude, and ``main(flag, other, many)``."""
        for _ in range(self.random.randint(6, 16)):
            self.statement(1)
        for kind, names in self.variables.items():
            asked = self.grammar.asked[kind]
            self.lines += [f"{INDENT}reveal_type({ask.format(name)})" for name in names for ask in asked]
        head = "def main(flag: bool, other: bool, many: int):"
        return self.grammar.prelude + "\n".join([head, *self.lines, f"{INDENT}pass", ""])

    def filled(self, template: str, depth: int) -> str | None:
        """A template with its letters replaced; None where there is no variable of a kind."""
        text = ""
        for literal, field_, _, _ in Formatter().parse(template):
            text += literal
            if field_ == "n":
                text += str(self.random.randint(1, 4))
            elif field_ == "c":
                text += self.chosen(self.grammar.conditions, depth + 1)
            elif field_ in self.grammar.expressions:
                text += self.expression(field_, depth + 1)
            elif field_ is not None:
                if not self.variables[field_.upper()]:
                    return None
                text += self.random.choice(self.variables[field_.upper()])
        return text

    def expression(self, kind: Kind, depth: int = 0) -> str:
        """An expression of a kind; a simple one where it gets deep."""
        templates = self.grammar.expressions[kind]
        if depth >= DEEPEST:
            simplest = self.grammar.simplest.get(kind, templates[0])
            return self.filled(simplest, depth) or ""
        return self.chosen(templates, depth)

    def chosen(self, templates: list[str], depth: int = 0) -> str:
        """One of some templates, filled."""
        while True:
            text = self.filled(self.random.choice(templates), depth)
            if text is not None:
                return text

    def statement(self, level: int) -> None:
        """A new or rebound variable, a change, or a block of more statements."""
        indent, draw = INDENT * level, self.random.random()
        if draw < 0.4:
            kind = self.random.choice(self.grammar.often)
            value, names = self.expression(kind), self.variables[kind]
            if names and self.random.random() < 0.3:
                name = self.random.choice(names)
            else:
                self.count += 1
                name = f"{kind.lower()}{self.count}"
                names.append(name)
            self.lines.append(f"{indent}{name} = {value}")
        elif draw < 0.85 or level > 2:
            some = all(self.variables.get(kind, True) for kind in "TO")
            self.lines.append(indent + (self.chosen(self.grammar.statements) if some else "pass"))
        else:
            self.block(level)

    def block(self, level: int) -> None:
        """A compound statement; what is bound first in it is not known behind it."""
        before = {kind: list(names) for kind, names in self.variables.items()}
        head, indent = self.chosen(self.grammar.blocks), INDENT * level
        for line in [head, *self.others(head)]:
            self.lines.append(indent + line)
            for _ in range(self.random.randint(1, 3)):
                self.statement(level + 1)
            if line.startswith(("for", "while")) and self.random.random() < 0.3:
                way = self.random.choice(("break", "continue"))
                self.lines.append(f"{indent}{INDENT}if {self.chosen(self.grammar.conditions)}:")
                self.lines.append(f"{indent}{INDENT * 2}{way}")
                self.statement(level + 1)
            if line == "try:":
                self.lines.append(f"{indent}{INDENT}if flag:")
                self.lines.append(f"{indent}{INDENT * 2}raise ValueError")
            self.variables = {kind: list(names) for kind, names in before.items()}

    def others(self, head: str) -> list[str]:
        """The heads of the other parts of a compound statement."""
        if head == "try:":
            return ["except ValueError:", "finally:"][: self.random.randint(1, 2)]
        if head.startswith("if") and self.random.random() < 0.3:
            return [f"elif {self.chosen(self.grammar.conditions)}:", "else:"]
        return ["else:"] if self.random.random() < (0.5 if head.startswith("if") else 0.2) else []


class _EndlessError(RuntimeError):
    """A run that goes on and on, or makes things larger and larger."""


def observed(text: str) -> dict[int, list[list[Any]]] | None:
    """What ``reveal_type`` was given at each line in each of several runs; None where one of them fails."""
    seen: dict[int, list[list[Any]]] = defaultdict(list)
    code = compile(text, "<random>", "exec", dont_inherit=True)
    for flag, other, many in product((True, False), (True, False), (1, 3)):
        given: dict[int, list[Any]] = defaultdict(list)
        space: dict[str, Any] = {"__name__": "random_program"}
        exec(code, space)
        space["reveal_type"] = _recorder(given)
        before = sys.gettrace()
        sys.settrace(_Watch())
        try:
            space["main"](flag, other, many)
        except _FAILURES:
            return None
        finally:
            sys.settrace(before)
        for line, values in given.items():
            seen[line].append(values)
    return seen


_FAILURES = (
    ArithmeticError, AttributeError, LookupError, NameError, RuntimeError, StopIteration, TypeError,
    ValueError,
)  # fmt: skip


class _Watch:
    """Ends a run of a program that is too long."""

    steps = 0

    def __call__(self, frame: FrameType, event: str, argument: Any) -> _Watch | None:
        if frame.f_code.co_filename != "<random>":
            return None
        self.steps += 1
        if self.steps > 5000 or any(map(_is_large, frame.f_locals.values())):
            raise _EndlessError
        return self


def _is_large(value: Any) -> bool:
    if isinstance(value, (list, str, tuple)):
        return len(value) > 1000
    return isinstance(value, int) and abs(value) > 10**30


def _recorder(given: dict[int, list[Any]]) -> Any:
    def record(value: Any) -> Any:
        given[sys._getframe(1).f_lineno].append(
            tuple(value.shape) if isinstance(value, torch.Tensor) else value
        )
        return value

    return record


def contradicts(note: str, value: Any) -> bool:
    """Whether a note, ``t has shape (?, 3), float32`` or ``n is the size 4``, is wrong of such a value."""
    if isinstance(value, tuple):
        said = re.search(r"has shape \((.*?)\)", note)
        sizes = [s.strip() for s in said[1].split(",") if s.strip()] if said else ["..."]
        if any(s == "..." or s.startswith("*") for s in sizes):
            return False
        return len(sizes) != len(value) or any(
            s.isdigit() and int(s) != v for s, v in zip(sizes, value, strict=True)
        )
    said = re.search(r" is the size (-?\d+)$", note)
    return said is not None and isinstance(value, int) and int(said[1]) != value
