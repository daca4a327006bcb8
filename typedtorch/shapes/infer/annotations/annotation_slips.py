"""Annotations that are not in the language of axes, wherever they stand."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from typedtorch.shapes.infer.annotations import reading
from typedtorch.shapes.infer.frame import Reporter
from typedtorch.shapes.infer.values.values import External
from typedtorch.shapes.slips import wrapper_slip
from typedtorch.shapes.syntax import walk

if TYPE_CHECKING:
    from typedtorch.shapes.infer.program.program import Module

_ANNOTATING = frozenset({ast.Subscript, ast.FunctionDef, ast.AsyncFunctionDef, ast.arg, ast.AnnAssign})


def lint_annotations(module: Module, reporter: Reporter) -> None:
    """Report malformed axis strings wherever they stand, quoted annotations included."""
    if not module.annotates_shapes:
        return
    for node in module.syntax.nodes:
        if type(node) not in _ANNOTATING:
            continue
        if isinstance(node, ast.Subscript):
            _lint_subscript(module, node, node, reporter)
            continue
        annotation = _annotation(node)
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            inner = reading.parse_annotation(annotation.value)
            for part in walk(inner) if inner is not None else ():
                if isinstance(part, ast.Subscript):
                    _lint_subscript(module, part, annotation, reporter)


def _annotation(node: ast.AST) -> ast.expr | None:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return node.returns
    return node.annotation if isinstance(node, (ast.arg, ast.AnnAssign)) else None


def _lint_subscript(module: Module, node: ast.Subscript, place: ast.expr, reporter: Reporter) -> None:
    if not isinstance(node.value, (ast.Name, ast.Attribute)):
        return
    base = module.program.interpreter.evaluate_in(node.value, module, {})
    if reading.wrapper_mask(base) is None or not isinstance(base, External):
        return
    wrapper = base.name.rpartition(".")[2]
    malformed = wrapper_slip(wrapper, node.slice)
    if malformed is not None:
        reporter.add(place, "axes", malformed)
    if not isinstance(node.slice, ast.Tuple) or len(node.slice.elts) != 2:
        return
    text_node = node.slice.elts[1]
    if not isinstance(text_node, ast.Constant) or not isinstance(text_node.value, str):
        return
    array = module.program.interpreter.evaluate_in(node.slice.elts[0], module, {})
    wrong = reading.problem(wrapper, array, text_node.value)
    if wrong is not None:
        reporter.add(text_node if place is node else place, "axes", wrong)


__all__ = ["lint_annotations"]
