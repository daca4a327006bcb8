"""Sizes that jaxtyping cannot work out: ``"2*n"`` where no argument has an axis ``n``.

Without run-time checks that is a remark to the reader; under ``@jaxtyped`` every call raises.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from typedtorch.shapes.axes import Dim
from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.calls.signatures import Signature
from typedtorch.shapes.infer.frame import Reporter
from typedtorch.shapes.syntax import dotted, walk

_NAME = re.compile(r"[A-Za-z_]\w*(?!\w*\()")  # but not ``min(``
_BRACES = re.compile(r"\{[^}]*\}")


def check(
    signature: Signature,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    module: ast.Module,
    reporter: Reporter,
) -> None:
    """Report symbolic axes of a function that is checked at run time whose names nothing can have bound."""
    if not any(_enforces(_named(decorator, module)) for decorator in node.decorator_list):
        return
    if not all(p.annotation is None or _is_closed(p.spec) for p in signature.parameters):
        return
    bound: set[str] = set()
    for parameter in signature.parameters:
        bound |= {dim.name for dim in _dims(parameter.spec) if dim.kind == "named"}
    for parameter in signature.parameters:
        _report(parameter.spec, bound, parameter.annotation, reporter)
    bound |= {dim.name for dim in _dims(signature.result) if dim.kind == "named"}
    _report(signature.result, bound, node.returns, reporter)


def _named(decorator: ast.expr, module: ast.Module) -> ast.expr:
    """``@typed`` after ``typed = jaxtyped(typechecker=beartype)``: what the module calls so."""
    if not isinstance(decorator, ast.Name):
        return decorator
    found = [
        statement.value
        for statement in module.body
        if isinstance(statement, ast.Assign) and _bound_by(statement.targets[0]) == {decorator.id}
    ]
    if len(found) != 1:
        return decorator
    bound = [
        statement
        for statement in walk(module)
        if isinstance(statement, (ast.Name, ast.FunctionDef, ast.ClassDef, ast.arg, ast.alias))
        and decorator.id in _bound_by(statement)
    ]
    return found[0] if len(bound) == 1 else decorator


def _bound_by(node: ast.AST) -> set[str]:
    match node:
        case ast.Name(ctx=ast.Store()):
            return {node.id}
        case ast.FunctionDef() | ast.ClassDef():
            return {node.name}
        case ast.arg():
            return {node.arg}
        case ast.alias():
            return {node.asname or node.name}
    return set()


def _enforces(decorator: ast.expr) -> bool:
    """``@jaxtyped(typechecker=beartype)``."""
    if not isinstance(decorator, ast.Call) or (dotted(decorator.func) or "").rpartition(".")[2] != "jaxtyped":
        return False
    given = [keyword.value for keyword in decorator.keywords if keyword.arg == "typechecker"]
    return bool(given) and not (isinstance(given[0], ast.Constant) and given[0].value is None)


def _is_closed(spec: specs.Spec) -> bool:
    """Whether an annotation names no axes but those seen here; ``PyTree[...]`` may, and aliases."""
    match spec:
        case specs.ArraySpec() | specs.NumberSpec() | specs.NoneSpec() | specs.LiteralSpec():
            return True
        case specs.ObjectSpec(name=name):
            return "." not in name or name.startswith("torch.")
        case specs.UnionSpec(options=parts) | specs.TupleSpec(items=parts):
            return all(map(_is_closed, parts))
        case specs.SequenceSpec(element=inner) | specs.DictSpec(value=inner):
            return _is_closed(inner)
    return False


def _report(spec: specs.Spec, bound: set[str], place: ast.expr | None, reporter: Reporter) -> None:
    for dim in _dims(spec) if place is not None else ():
        missing = [name for name in _NAME.findall(_BRACES.sub("", dim.name)) if name not in bound]
        if dim.kind == "symbolic" and missing and place is not None:
            reporter.add(
                place, "axes", f"{dim.text!r}: nothing says how large {missing[0]} is; every call raises"
            )


def _dims(spec: specs.Spec) -> Iterator[Dim]:
    match spec:
        case specs.ArraySpec(axes=axes):
            yield from axes.dims
        case specs.UnionSpec(options=parts) | specs.TupleSpec(items=parts):
            for part in parts:
                yield from _dims(part)
        case specs.SequenceSpec(element=inner) | specs.DictSpec(value=inner):
            yield from _dims(inner)


__all__ = ["check"]
