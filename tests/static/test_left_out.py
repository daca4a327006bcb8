"""A correct program without some of its annotations is as correct: what nobody says is unknown."""

from __future__ import annotations

import ast
from pathlib import Path
from zlib import crc32

import pytest

from static.corpus import CASES, SILENT, Case, load
from typedtorch.shapes.infer import check_files

PROGRAMS = load(CASES) + load(SILENT)
LEFT_OUT = ("all", "results", "arguments")


class _LeavingOut(ast.NodeTransformer):
    """Removes annotations with brackets, as arrays have them; an overload is told from another by its own."""

    def __init__(self, which: str) -> None:
        self.which = which

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._without(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._without(node)

    def _without(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self.generic_visit(node)
        if any("overload" in (text := ast.unparse(d)) or "regist" in text for d in node.decorator_list):
            return node
        if self.which != "results":
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                if _has_brackets(argument.annotation):
                    argument.annotation = None
        if self.which != "arguments" and _has_brackets(node.returns):
            node.returns = None
        return node


def _has_brackets(annotation: ast.expr | None) -> bool:
    return annotation is not None and any(isinstance(n, ast.Subscript) for n in ast.walk(annotation))


@pytest.mark.parametrize("case", PROGRAMS, ids=[case.name for case in PROGRAMS])
def test_what_is_left_out_is_unknown(case: Case, tmp_path: Path) -> None:
    paths = case.write(tmp_path, buggy=False)
    which = LEFT_OUT[crc32(case.name.encode()) % len(LEFT_OUT)]
    for path in paths:
        tree = _LeavingOut(which).visit(ast.parse(path.read_text()))
        path.write_text(ast.unparse(tree))
    found = [f for f in check_files(paths, search=[tmp_path]) if f.severity == "error"]
    # a size that no argument binds any more is one of which nothing says how large it is
    assert not [f"{f.path}:{f.line}: {f.message}" for f in found if f.code != "axes"]
