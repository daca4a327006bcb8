"""Random programs that share, change and exchange objects: what is known of them is held against a run.

A program has variables of six kinds and takes its expressions and statements from the tables below.
In a template a capital letter stands for any expression of a kind, a small one for a variable of it, ``n``
for a number and ``c`` for a condition; a line with ``reveal_type`` asks what is known there.
"""

from __future__ import annotations

import random
import re
import sys
from collections import defaultdict
from itertools import product
from string import Formatter
from typing import Any

import torch

PRELUDE = """
import copy
import torch


class Box:
    def __init__(self, x):
        self.x = x
        self.items = [x]

    def put(self, x):
        self.x = x
        return self

    def grown(self):
        return Box(grow(self.x))


class Turning(Box):
    def put(self, x):
        self.x = x.T
        return self


class Holder:
    def __init__(self, box):
        self.box = box
        self.boxes = [box]

    def touch(self):
        for box in self.boxes:
            box.x = grow(box.x)


def grow(t):
    return torch.cat([t, torch.zeros(1, t.shape[1])])


def wide(t, by=1):
    return torch.cat([t, torch.zeros(t.shape[0], by)], 1)


def make_box(n):
    return Box(torch.zeros(n, 2))


def make_dict():
    return {"a": torch.zeros(2, 5), "b": torch.zeros(5, 2)}


def same(value):
    return value


def choose(flag, a, b):
    return a if flag else b


def set_a(d, t):
    d["a"] = t
    return d


def push(items, t):
    items.append(t)
    return items


def swap(items):
    items[0], items[-1] = items[-1], items[0]


def turn_boxes(boxes):
    for box in boxes:
        box.x = box.x.T


def both(t, u, *rest, **more):
    for other in rest:
        t = other
    for key in more:
        u = more[key]
    return t, u


def counted(n):
    for i in range(n):
        yield torch.zeros(i + 1, 2)


"""

EXPRESSIONS = {
    "T": [
        "torch.zeros({n}, {n})", "grow({T})", "wide({T}, by={n})", "{T}.T", "same({T})", "{T}.clone()",
        "choose(flag, {T}, {T})", "both({T}, {T}, {T})[0]", "both({T}, {T}, k={T})[1]",
        "({T} if {c} else {T})", "(lambda t: wide(t))({T})", "{t}", "{t}", "{t}", "{l}[0]", "{l}[-1]",
        '{d}["a"]', '{d}["b"]', "{o}.x", "{o}.x", "{o}.items[0]", "{b}[0].x", "{b}[-1].x", "{h}.box.x",
        "{h}.boxes[0].x",
    ],
    "L": [
        "[{T}, {T}]", "[torch.zeros(i + 1, 2) for i in range({n})]", "list(counted({n}))", "[{T}] * {n}",
        "{l}", "same({l})", "list({l})", "{l} + [{T}]", "[grow(t) for t in {l}]", "push({l}, {T})",
        "list(reversed({l}))", "{o}.items", "list({d}.values())",
    ],
    "D": [
        "make_dict()", '{{"a": {T}, "b": {T}}}', "dict(a={T}, b={T})", "{d}", "same({d})", "dict({d})",
        "set_a({d}, {T})", "{{k: grow(v) for k, v in {d}.items()}}", '{{**{d}, "a": {T}}}',
    ],
    "O": [
        "make_box({n})", "Box({T})", "Turning({T})", "{o}", "same({o})", "{o}.put({T})", "{o}.grown()",
        "copy.copy({o})", "copy.deepcopy({o})", "({o} if {c} else {o})", "{b}[0]", "{h}.box",
    ],
    "B": [
        "[{O}, {O}]", "[make_box(i) for i in range(1, 4)]", "[make_box({n}) for _ in range({n})]",
        "[{O}] * 2", "{b}", "[box.grown() for box in {b}]", "{b}[::-1]", "{h}.boxes",
    ],
    "H": ["Holder({O})", "{h}", "same({h})", "copy.copy({h})", "copy.deepcopy({h})"],
}  # fmt: skip

STATEMENTS = [
    "{l}[0] = {T}", "{l}.append({T})", "swap({l})", "{l}[-1] = grow({l}[-1])", "push({l}, {T})",
    "{l}.append({l}.pop(0))", "{l} += [{T}]", "{l}.reverse()",
    '{d}["a"] = {T}', "set_a({d}, {T})", "{d}.update(b={T})", '{d}["a"], {d}["b"] = {d}["b"], {d}["a"]',
    "{o}.x = {T}", "{o}.put({T})", "{o}.items.append({T})", "{o}.items = {L}", 'setattr({o}, "x", {T})',
    "{o}.x, {o}.items[0] = {o}.items[0], {o}.x", "{t} = grow({t})",
    "{b}[0].x = {T}", "turn_boxes({b})", "{b}.append({O})", "{b}[0] = {O}", "swap({b})",
    "{h}.touch()", "{h}.box.x = {T}", "{h}.box = {O}", "{h}.boxes.append({O})", "{h}.box.put({T})",
]  # fmt: skip
CONDITIONS = ["flag", "not flag", "other", "flag or other", "{t}.shape[0] > 2", "len({l}) > 2"]
BLOCKS = ["if {c}:", "for _ in range({n}):", "for _ in range(many):", "try:"]
ASKED = {
    "T": ["{}"], "L": ["{}[0]", "{}[-1]", "len({})"], "D": ['{}["a"]', '{}["b"]'],
    "O": ["{}.x", "{}.items[0]", "{}.items[-1]"], "B": ["{}[0].x", "{}[-1].x"],
    "H": ["{}.box.x", "{}.boxes[0].x", "{}.boxes[-1].x"],
}  # fmt: skip
SIMPLEST = {"[{T}, {T}]": "list(counted({n}))"}
INDENT = "    "


class Generator:
    """One random program, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.variables: dict[str, list[str]] = {kind: [] for kind in EXPRESSIONS}
        self.count = 0

    def program(self) -> str:
        """The text: a prelude, and ``main(flag, other, many)``."""
        for _ in range(self.random.randint(6, 16)):
            self.statement(1)
        for kind, names in self.variables.items():
            self.lines += [f"{INDENT}reveal_type({asked.format(n)})" for n in names for asked in ASKED[kind]]
        head = "def main(flag: bool, other: bool, many: int):"
        return PRELUDE + "\n".join([head, *self.lines, f"{INDENT}pass", ""])

    def filled(self, template: str, depth: int) -> str | None:
        """A template with its letters replaced; None where there is no variable of a kind."""
        text = ""
        for literal, field, _, _ in Formatter().parse(template):
            text += literal
            if field == "n":
                text += str(self.random.randint(1, 4))
            elif field == "c":
                text += self.chosen(CONDITIONS, depth + 1)
            elif field in EXPRESSIONS:
                text += self.chosen(EXPRESSIONS[field], depth + 1)
            elif field is not None:
                if not self.variables[field.upper()]:
                    return None
                text += self.random.choice(self.variables[field.upper()])
        return text

    def chosen(self, templates: list[str], depth: int = 0) -> str:
        """One of some templates, filled; the first where it gets deep, which needs no others."""
        while depth < 3:
            text = self.filled(self.random.choice(templates), depth)
            if text is not None:
                return text
        return (
            self.filled(templates[0] if templates[0] != "[{T}, {T}]" else "list(counted({n}))", depth) or ""
        )

    def statement(self, level: int) -> None:
        """A new or rebound variable, a change, or a block of more statements."""
        indent, draw = INDENT * level, self.random.random()
        if draw < 0.4:
            kind = self.random.choice("TTTLLDDOOOBH")
            value, names = self.chosen(EXPRESSIONS[kind]), self.variables[kind]
            if names and self.random.random() < 0.3:
                name = self.random.choice(names)
            else:
                self.count += 1
                name = f"{kind.lower()}{self.count}"
                names.append(name)
            self.lines.append(f"{indent}{name} = {value}")
        elif draw < 0.85 or level > 2:
            some = all(self.variables[kind] for kind in "TO")
            self.lines.append(indent + (self.chosen(STATEMENTS) if some else "pass"))
        else:
            self.block(level)

    def block(self, level: int) -> None:
        """A compound statement; what is bound first in it is not known behind it."""
        before = {kind: list(names) for kind, names in self.variables.items()}
        head, indent = self.chosen(BLOCKS), INDENT * level
        bodies = [head, "else:"] if head.startswith("if") and self.random.random() < 0.5 else [head]
        if head == "try:":
            bodies = [head, "except ValueError:"]
        for line in bodies:
            self.lines.append(indent + line)
            for _ in range(self.random.randint(1, 3)):
                self.statement(level + 1)
            if line == "try:":
                self.lines.append(f"{indent}{INDENT}if flag:")
                self.lines.append(f"{indent}{INDENT * 2}raise ValueError")
            self.variables = {kind: list(names) for kind, names in before.items()}


def observed(text: str) -> dict[int, list[list[Any]]] | None:
    """What ``reveal_type`` was given at each line in each of several runs; None where one of them fails."""
    seen: dict[int, list[list[Any]]] = defaultdict(list)
    code = compile(text, "<random>", "exec")
    for flag, other, many in product((True, False), (True, False), (1, 3)):
        given: dict[int, list[Any]] = defaultdict(list)
        space: dict[str, Any] = {}
        exec(code, space)
        space["reveal_type"] = _recorder(given)
        try:
            space["main"](flag, other, many)
        except (IndexError, KeyError, RuntimeError):
            return None
        for line, values in given.items():
            seen[line].append(values)
    return seen


def _recorder(given: dict[int, list[Any]]) -> Any:
    def record(value: Any) -> Any:
        given[sys._getframe(1).f_lineno].append(
            tuple(value.shape) if isinstance(value, torch.Tensor) else value
        )
        return value

    return record


def contradicts(note: str, value: Any) -> bool:
    """Whether a note, ``t has shape (?, 3), float32`` or ``n is 4``, is wrong of a shape or a number."""
    if isinstance(value, tuple):
        said = re.search(r"has shape \((.*?)\)", note)
        sizes = [s.strip() for s in said[1].split(",") if s.strip()] if said else ["..."]
        if any(s == "..." or s.startswith("*") for s in sizes):
            return False
        return len(sizes) != len(value) or any(
            s.isdigit() and int(s) != v for s, v in zip(sizes, value, strict=True)
        )
    said = re.search(r" is (\d+)$", note)
    return said is not None and int(said[1]) != value
