"""Every code under which something is reported is explained, and known to mypy."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import typedtorch.shapes
from typedtorch.mypy_plugin.messages import CODES
from typedtorch.shapes.findings import EXPLAIN

SOURCES = sorted(Path(typedtorch.shapes.__file__).parent.rglob("*.py"))
PLACES = {"ShapeError": 1, "Lint": 0, "add": 1}  # which argument is the code


def codes() -> Iterator[str]:
    """The constants that rules and the interpreter give as a code."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            function = called.rpartition(".")[2]
            if function == "add" and "reporter" not in called:
                continue
            given = [k.value for k in node.keywords if k.arg == "code"]
            if function in PLACES:
                given += node.args[PLACES[function] :][:1]
            yield from (g.value for g in given if isinstance(g, ast.Constant) and isinstance(g.value, str))


def test_codes_are_explained() -> None:
    used = set(codes())
    assert {"shape", "dtype", "einops", "contiguity"} <= used
    assert used <= EXPLAIN.keys()


def test_mypy_knows_the_codes() -> None:
    assert EXPLAIN.keys() - CODES.keys() == {"unused-ignore", "syntax"}  # mypy has codes of its own for these
