"""What a body needs of the sizes it is passed, held against each call.

``split(x: "b s d", heads: int, width: int)`` whose body is ``x.view(b, s, heads, width)`` works only where
``d`` is ``heads*width``.  Nothing in its signature says so, and in its body an integer may be anything; but
a call brings sizes of its own, and where those certainly differ the body fails.  Likewise of two axes:
``rotate(x: "s d", cos: "s half")`` that multiplies halves of ``x`` needs ``2*half`` to be ``d``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TypeAlias

from typedtorch.shapes.equality import same
from typedtorch.shapes.infer import inlining, specs, summaries
from typedtorch.shapes.infer.assuming import Names
from typedtorch.shapes.infer.binding import callee
from typedtorch.shapes.infer.blame import own_findings
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.signatures import Signature
from typedtorch.shapes.infer.values import FunctionV, Value
from typedtorch.shapes.size import Atom, Size, atoms, substitute
from typedtorch.shapes.syntax import walk

Bound: TypeAlias = "Mapping[str, tuple[Value, ast.expr | None]]"


def unmet(
    frame: Frame, function: FunctionV, signature: Signature, bound: Bound, names: Names, node: ast.AST
) -> bool:
    """Report a call whose sizes the body cannot work with; whether it did."""
    if frame.depth or frame.reporter.muted or not signature.shaped:
        return False
    if inlining.may_be_another(frame.interpreter, frame, function):
        return False
    if not summaries.are_as_made(function, bound):
        return False
    meaning = summaries.meaning(function, bound, names)
    for a, b, line in summaries.needs(frame.interpreter, function):
        integers = any(atom.scope for atom in atoms(a) | atoms(b))
        if integers and not _takes_integers(signature):
            continue
        try:
            here = substitute(a, meaning), substitute(b, meaning)
        except LookupError:
            continue
        if 1 not in here and same(*here) is False and not _spreads(a, b, meaning):
            if any(at == line for at, _, _ in own_findings(frame.interpreter, function)):
                return True  # what is wrong whoever calls is told there
            where = _place(function.node, line)
            frame.reporter.add(node, "shape", f"{callee(node)}: {_said(a, b, *here, where)}")
            return True
    return False


def _takes_integers(signature: Signature) -> bool:
    return any(
        isinstance(p.spec, specs.NumberSpec) and p.spec.kind == "int" and p.default is None
        for p in signature.parameters
    )


def _spreads(a: Size, b: Size, meaning: Callable[[Atom], Size | None]) -> bool:
    """Whether an axis of these has one item in a call: it spreads over the other, whatever the body adds."""
    return any(atom.kind == "axis" and not atom.scope and meaning(atom) == 1 for atom in atoms(a) | atoms(b))


def _place(body: ast.AST, line: int) -> str:
    """``line 5: scores = q @ k.mT``."""
    said = [
        statement
        for statement in walk(body)
        if isinstance(statement, ast.Assign | ast.AugAssign | ast.Return | ast.Expr | ast.AnnAssign)
        and statement.lineno <= line <= (statement.end_lineno or line)
    ]
    if len(said) != 1:
        return f"line {line}"
    return f"line {line}: {source(said[0])}"


def _said(a: Size, b: Size, here_a: Size, here_b: Size, where: str) -> str:
    """``its body needs n to be edges (line 5), but n is 4 and edges is 3 here``."""
    if str(a) == str(b):  # an axis and the integer of its name
        return f"its body needs the axis {a} to be the argument {b} ({where}), not {here_a} and {here_b}"
    if isinstance(a, int):
        a, b, here_a, here_b = b, a, here_b, here_a
    given = [f"{name} is {size}" for name, size in ((a, here_a), (b, here_b)) if str(name) != str(size)]
    but = f", but here {' and '.join(given)}" if given else ", but here they are two axes"
    return f"its body needs {a} to be {b} ({where}){but}"
