"""Reports of what operators refuse, in the words of the program that calls them."""

from __future__ import annotations

import ast
from types import NoneType

from typedtorch.shapes.equality import differing, distinct
from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.operators.demands import apply, met_before, reason
from typedtorch.shapes.infer.reports.grounds import ground
from typedtorch.shapes.infer.reports.numpy_words import worded
from typedtorch.shapes.infer.reports.proposals import Applied, proposed
from typedtorch.shapes.infer.reports.repairs import one_operand
from typedtorch.shapes.infer.values.values import (
    Tensor,
    Value,
)
from typedtorch.shapes.rule import call as call_rule
from typedtorch.shapes.rule import lints
from typedtorch.shapes.size import Size
from typedtorch.shapes.syntax import walk
from typedtorch.shapes.tensor import ShapeError


def report_clash(frame: Frame, applied: Applied, clash: tuple[Size, Size]) -> None:
    """Two sizes that the operator wants to be one had to be others before."""
    met = met_before(frame.state.ties, *clash)
    if met is not None and any(line == met[2] for line, _, _ in frame.reporter.findings):
        return  # what an operator wanted that was refused itself
    why = reason(frame.state.ties, *clash)
    if why is not None and str(clash[0]) == str(clash[1]):  # of two objects: b is not b
        frame.reporter.add(_place(applied.node), "shape", f"{source(applied.node)}: {why}")
        return
    with distinct([clash]):
        report_refusal(frame, applied, ShapeError("", hint=why))


def report_refusal(frame: Frame, applied: Applied, error: ShapeError) -> None:
    """Apply the rule again with the operands' source as labels, for the message."""
    if frame.state.autocast and error.code == "dtype":
        return
    node, nodes = applied.node, applied.nodes
    said_plainly = error.message.partition(": ")[2] or error.message
    pairs: list[tuple[Size, Size]] = []
    try:
        named = _labelled_keywords(applied.named, node)
        with differing() as pairs:
            apply(applied.function, _labelled(applied.given, nodes), named, frame.state.ties)
    except ShapeError as labelled:
        hint = labelled.hint if error.message else error.hint or labelled.hint  # "": only the reason is new
        error = ShapeError(labelled.message, labelled.code, hint)
    function, named = applied.function, applied.named
    error = one_operand(error, applied.given, nodes, lambda some: call_rule(function, some, named))
    said = error.message
    if not said.startswith(f"{source(node, 40)} "):
        said = f"{source(node)}: {said}"
    clash = pairs[-1] if pairs and all(str(size) in said for size in pairs[-1]) else ()
    rests = ground(frame, [node], clash or [said_plainly])
    frame.reporter.add(_place(node), error.code, said, proposed(frame, applied, error), ground=rests)


def report_lints(frame: Frame, applied: Applied) -> None:
    """What the rule warns of, in the operands' source."""
    with lints() as warned:
        call_rule(applied.function, _labelled(applied.given, applied.nodes), applied.named)
    for lint in warned:
        if lint.code == "broadcast" and (_speaks_of_pairs(frame) or _is_handed_back(frame, applied.node)):
            continue
        said = f"{source(applied.node)}: {lint.message}"
        frame.reporter.add(_place(applied.node), lint.code, said, worded(lint.hint, applied.given))


def _speaks_of_pairs(frame: Frame) -> bool:
    """Whether a function annotates something as ``"n n"``: every n is meant to meet every other."""
    if frame.function is None or isinstance(frame.function.node, ast.Lambda):
        return False
    signature = frame.interpreter.signature(frame.function)
    if any(map(specs.is_of_pairs, (signature.result, *(p.spec for p in signature.parameters)))):
        return True
    texts = [node.annotation for node in walk(frame.function.node) if isinstance(node, ast.AnnAssign)]
    parts = [getattr(n, "value", None) for text in texts for n in walk(text)]
    words = [part.split() for part in parts if isinstance(part, str)]
    return any(len(set(names)) < len(names) for names in words)


def _is_handed_back(frame: Frame, node: ast.AST) -> bool:
    """Whether something is returned, and not summed, by a function that does not say what it returns."""
    if frame.function is None or not isinstance(frame.result, (NoneType, specs.Anything)):
        return False
    returned = [n for n in walk(frame.function.node) if isinstance(n, ast.Return) and _holds(n, node)]
    calls = [n for r in returned for n in walk(r) if isinstance(n, ast.Call) and n is not node]
    reducing = [n for n in calls if source(n.func).rpartition(".")[2] in _REDUCING and _holds(n, node)]
    return bool(returned) and not reducing


def _holds(part: ast.AST, node: ast.AST) -> bool:
    return any(inner is node for inner in walk(part))


_REDUCING = frozenset(
    {"mean", "sum", "nansum", "nanmean", "norm", "max", "amax", "min", "amin", "all", "any", "prod", "median"}
)


def _labelled(given: tuple[Value, ...], nodes: tuple[ast.expr | None, ...]) -> tuple[Value, ...]:
    """Give each tensor the text the user wrote for it."""
    out: list[Value] = []
    for i, value in enumerate(given):
        node = nodes[i] if i < len(nodes) else None
        if isinstance(value, Tensor) and node is not None:
            out.append(value.named(source(node, 40)))
        elif isinstance(value, (list, tuple)) and isinstance(node, (ast.List, ast.Tuple)):
            parts = [
                v.named(source(n, 40)) if isinstance(v, Tensor) else v
                for v, n in zip(value, node.elts, strict=False)
            ]
            complete = parts if len(parts) == len(value) else list(value)
            out.append(complete if isinstance(value, list) else tuple(complete))
        else:
            out.append(value)
    return tuple(out)


def _labelled_keywords(named: dict[str, Value], node: ast.AST) -> dict[str, Value]:
    """The same of what is given by keyword."""
    written = {k.arg: k.value for k in node.keywords} if isinstance(node, ast.Call) else {}
    return {
        name: value.named(source(written[name], 40))
        if isinstance(value, Tensor) and name in written
        else value
        for name, value in named.items()
    }


def _place(node: ast.AST) -> ast.AST:
    """In a chain over several lines, the line of the method that fails."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        func = node.func
        if func.end_lineno is not None and func.end_lineno != node.lineno:
            place = ast.Pass()
            place.lineno, place.end_lineno = func.end_lineno, node.end_lineno
            place.col_offset = (func.end_col_offset or 0) - len(func.attr)
            place.end_col_offset = node.end_col_offset
            return place
    return node
