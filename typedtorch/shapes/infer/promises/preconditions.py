"""What a body needs of the sizes it is passed, held against each call.

``split(x: "b s d", heads: int, width: int)`` whose body is ``x.view(b, s, heads, width)`` works only where
``d`` is ``heads*width``.  Nothing in its signature says so, and in its body an integer may be anything; but
a call brings sizes of its own, and where those certainly differ the body fails.  Likewise of two axes:
``rotate(x: "s d", cos: "s half")`` that multiplies halves of ``x`` needs ``2*half`` to be ``d``.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Mapping
from typing import TypeAlias

from typedtorch.shapes.equality import same
from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.annotations.assuming import Names
from typedtorch.shapes.infer.calls import inlining
from typedtorch.shapes.infer.calls.binding import callee
from typedtorch.shapes.infer.calls.signatures import Signature
from typedtorch.shapes.infer.conditions.solving import prove, solved
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.promises import summaries
from typedtorch.shapes.infer.reports.blame import own_findings
from typedtorch.shapes.infer.values.values import FunctionV, Instance, Value, is_size
from typedtorch.shapes.scopes import INTEGER_SCOPE, LINKED_SCOPE, OWN, bare
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
    meaning = summaries.meaning(function, signature, bound, names)
    for a, b, line in summaries.needs(frame.interpreter, function):
        found = atoms(a) | atoms(b)
        if any(atom.scope == INTEGER_SCOPE for atom in found) and not _takes_integers(signature):
            continue
        if any(_may_be_a_part(atom, function, names) for atom in found):
            continue
        try:
            here = substitute(a, meaning), substitute(b, meaning)
        except LookupError:
            continue
        if 1 not in here and same(*here) is False and not _spreads(a, b, meaning):
            if any(at == line for at, _, _ in own_findings(frame.interpreter, function)):
                return True  # what is wrong whoever calls is told there
            where, holder = _place(function.node, line), _holder(function, node)
            frame.reporter.add(node, "shape", f"{callee(node)}: {_said(a, b, *here, where, holder)}")
            return True
    return False


def learn(frame: Frame, function: FunctionV, signature: Signature, bound: Bound, names: Names) -> None:
    """What a body asserts of the sizes it is passed, ``x.shape == y.shape``, holds once it has returned."""
    if frame.depth or frame.reporter.muted or not signature.shaped:
        return
    facts = summaries.proven(frame.interpreter, function)
    if not facts or not summaries.are_as_made(function, bound):
        return
    if inlining.may_be_another(frame.interpreter, frame, function):
        return
    meaning = summaries.meaning(function, signature, bound, names)
    for fact in facts:
        with contextlib.suppress(LookupError):
            prove(frame, (substitute(fact, meaning),))
    names.learn(solved(frame.state.proven))


def _may_be_a_part(atom: Atom, function: FunctionV, names: Names) -> bool:
    """``dim`` of a helper may be a part of the object's, unless it is all of it in this call."""
    if bare(atom.scope) != LINKED_SCOPE or atom.name not in names.sizes:
        return False
    own: Value = function.bound.arguments.get(atom.name) if isinstance(function.bound, Instance) else None
    return not is_size(own) or same(names.sizes[atom.name], own) is not True


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


def _holder(function: FunctionV, node: ast.AST) -> str:
    """``net`` of ``net(x)`` and of ``net.encode(x)``: the object whose integers a body reads."""
    called = node.func if isinstance(node, ast.Call) else node
    if isinstance(called, ast.Attribute) and called.attr == function.name:
        called = called.value
    return "self" if isinstance(called, ast.Call) else source(called)  # super()


def _said(a: Size, b: Size, here_a: Size, here_b: Size, where: str, holder: str) -> str:
    """``its body needs n to be edges (line 5), but here n is 4 and edges is 3``."""
    name_a, name_b = _named(a, holder), _named(b, holder)
    if name_a == name_b:  # an axis and the integer of its name
        return f"its body needs the axis {a} to be the argument {b} ({where}), not {here_a} and {here_b}"
    if isinstance(a, int):
        name_a, name_b, here_a, here_b = name_b, name_a, here_b, here_a
    known = [(name, size) for name, size in ((name_a, here_a), (name_b, here_b)) if name != str(size)]
    given = [f"{name} is {size}" for name, size in known if name != f"{size} of {holder}"]
    but = f", but here {' and '.join(given)}" if given else ", but here they are two axes"
    return f"its body needs {name_a} to be {name_b} ({where}){but}"


def _named(size: Size, holder: str) -> str:
    """A size as the signature says it, with the object whose integer it is."""
    own = any(bare(atom.scope) in OWN for atom in atoms(size) if atom.kind == "axis")
    return f"{size} of {holder}" if own else str(size)
