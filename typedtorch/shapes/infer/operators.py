"""Operators of torch, numpy and einops applied to values of the program: rules, refusals and lints."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from typedtorch.shapes import dtypes
from typedtorch.shapes.equality import (
    GIVEN_SCOPE,
    HELD_SCOPE,
    INSTANCE_SCOPE,
    INTEGER_SCOPE,
    LINKED_SCOPE,
    bare,
    distinct,
    generic,
    observing,
    unobserved,
)
from typedtorch.shapes.infer.frame import Frame, callable_on, source
from typedtorch.shapes.infer.lengths import COUNTS, for_several
from typedtorch.shapes.infer.operands import present
from typedtorch.shapes.infer.repairs import one_operand
from typedtorch.shapes.infer.ties import Ties, lasting
from typedtorch.shapes.infer.values import (
    UNKNOWN,
    Choice,
    Dtype,
    External,
    Instance,
    LayerV,
    Record,
    Scalar,
    Sequence,
    Tensor,
    Value,
    is_size,
    options_of,
)
from typedtorch.shapes.rule import Fields, Function, Layer, like, lints
from typedtorch.shapes.rule import call as call_rule
from typedtorch.shapes.size import Poly, Size, atoms, is_counted, is_unknown, unknown
from typedtorch.shapes.tensor import Pack, ShapeError

if TYPE_CHECKING:
    from typedtorch.shapes.infer.interpreter import Interpreter


Def = ast.FunctionDef | ast.AsyncFunctionDef

MAX_COMBINATIONS = 9
_PYTHON_DTYPES = {
    "builtins.float": dtypes.FLOAT64,
    "builtins.int": dtypes.INT64,
    "builtins.bool": dtypes.BOOL,
}


# kinds of values, the most frequent ones, that are the same to a rule
_AS_THEY_ARE = frozenset({Tensor, Poly, int, bool, float, str, type(None)})


def to_rule(interpreter: Interpreter, value: Value) -> Value:
    """A value as rules see it."""
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, Sequence):
        if not value.items:
            return UNKNOWN  # an empty list is usually one that is filled where it cannot be seen
        return [to_rule(interpreter, v) for v in value.items]
    if isinstance(value, Record):
        return value
    if isinstance(value, tuple):
        return like(value, (to_rule(interpreter, v) for v in value))
    if isinstance(value, slice):
        return slice(*(to_rule(interpreter, v) for v in (value.start, value.stop, value.step)))
    if isinstance(value, LayerV):
        return value.layer
    if isinstance(value, Instance) and value.info.is_named_tuple:
        return Fields(to_rule(interpreter, value.attributes.get(n, UNKNOWN)) for n in value.info.fields())
    if value is None or value is Ellipsis or isinstance(value, (Tensor, Scalar, Dtype, Pack)):
        return value
    if is_size(value) or isinstance(value, (bool, float, str)):
        return value
    if isinstance(value, External) and value.name in _PYTHON_DTYPES:
        return Dtype(_PYTHON_DTYPES[value.name])
    return UNKNOWN


def from_rule(interpreter: Interpreter, value: Value) -> Value:
    """A rule's answer as a value."""
    if isinstance(value, Tensor):
        return value if all(isinstance(e, (int, Poly, Pack)) for e in value.shape) else _made_whole(value)
    if isinstance(value, list):
        return Sequence("list", tuple(from_rule(interpreter, v) for v in value))
    if isinstance(value, Record):
        return value
    if isinstance(value, tuple):
        return tuple(from_rule(interpreter, v) for v in value)
    return LayerV("torch.nn.Module", value) if isinstance(value, Layer) else value


def apply_rule(
    interpreter: Interpreter,
    frame: Frame,
    function: Function,
    values: tuple[Value, ...],
    keywords: Mapping[str, Value],
    node: ast.AST,
    nodes: tuple[ast.expr | None, ...],
    what: str = "",
) -> Value:
    """Apply a rule for every combination of what the arguments may be."""
    combinations = _combinations(*present(function, values, keywords, node))
    if combinations is None:
        return UNKNOWN
    results: list[Value] = []
    errors: list[tuple[ShapeError, tuple[Value, ...], dict[str, Value]]] = []
    for some_values, some_keywords in combinations:
        given = tuple(to_rule(interpreter, v) for v in some_values)
        named = {k: to_rule(interpreter, v) for k, v in some_keywords.items()}
        met: list[tuple[Size, Size]] = []
        try:
            with lints() as warned:
                results.append(from_rule(interpreter, _apply(function, given, named, frame.state.ties, met)))
        except ShapeError as error:
            errors.append((error, given, named))
            continue
        if warned and len(combinations) == 1:
            _report_lints(interpreter, frame, function, given, named, node, nodes)
        if met and len(combinations) == 1:
            clash = _tie(frame.state.ties, function, given, named, met, node)
            if clash is not None and not frame.depth:
                why = _why(frame.state.ties, *clash)
                if why is not None and str(clash[0]) == str(clash[1]):  # of two objects: b is not b
                    frame.reporter.add(_operator_place(node), "shape", f"{source(node)}: {why}")
                    return UNKNOWN
                with distinct([clash]):
                    reason = ShapeError("", hint=why)
                    _report_refusal(interpreter, frame, function, (reason, given, named), node, nodes)
                return UNKNOWN
    if errors and not results:
        _report_refusal(interpreter, frame, function, errors[0], node, nodes)
    if not results:
        return UNKNOWN
    lists = [v for v in (*values, *keywords.values()) if len(_expanded(v)) > 1]
    result = for_several(results, lists, frame.place(node))
    if not frame.depth:
        frame.state.ties.meet(function.__name__, values, keywords)
    if isinstance(result, Tensor) and "out" in keywords:
        result = _written_into(result, keywords["out"])
    return _under_autocast(result) if frame.state.autocast else result


def _written_into(result: Tensor, out: Value) -> Value:
    """With ``out=`` the result is that tensor, of the dtype it has."""
    if out is None:
        return result
    if not isinstance(out, Tensor):
        return replace(result, dtype=dtypes.ANY, layout=None)
    return replace(result, dtype=out.dtype, layout=out.layout)


def _report_refusal(
    interpreter: Interpreter,
    frame: Frame,
    function: Function,
    failure: tuple[ShapeError, tuple[Value, ...], dict[str, Value]],
    node: ast.AST,
    nodes: tuple[ast.expr | None, ...],
) -> None:
    """Apply the rule again with the operands' source as labels, for the message."""
    error, given, named = failure
    if frame.state.autocast and error.code == "dtype":
        return
    try:
        _apply(function, _labelled(given, nodes), named, frame.state.ties)
    except ShapeError as labelled:
        hint = labelled.hint if error.message else error.hint or labelled.hint  # "": only the reason is new
        error = ShapeError(labelled.message, labelled.code, hint)
    error = one_operand(error, given, nodes, lambda some: call_rule(function, some, named))
    begun = error.message.startswith(f"{source(node, 40)} ")
    said = error.message if begun else f"{source(node)}: {error.message}"
    frame.reporter.add(_operator_place(node), error.code, said, callable_on(error.hint, nodes))


def _report_lints(
    interpreter: Interpreter,
    frame: Frame,
    function: Function,
    given: tuple[Value, ...],
    named: dict[str, Value],
    node: ast.AST,
    nodes: tuple[ast.expr | None, ...],
) -> None:
    with lints() as warned:
        call_rule(function, _labelled(given, nodes), named)
    for lint in warned:
        frame.reporter.add(_operator_place(node), lint.code, f"{source(node)}: {lint.message}", lint.hint)


def _made_whole(value: Tensor) -> Tensor:
    """A rule that passes an unknown argument on as a size means an unknown size."""
    return replace(
        value,
        layout=None,
        shape=tuple(e if isinstance(e, (int, Poly, Pack)) else unknown() for e in value.shape),
    )


def _tie(
    ties: Ties,
    function: Function,
    given: tuple[Value, ...],
    named: dict[str, Value],
    met: list[tuple[Size, Size]],
    node: ast.AST,
) -> tuple[Size, Size] | None:
    """Note which of the sizes that met must be equal; a pair that cannot be, if there is one.

    What one operator demands at once is not held against each other: ``(q, k) + (n, n)`` is a
    square whose annotation says too little.
    """
    demanded = []
    for a, b in dict.fromkeys(met):
        if not all(lasting(size) or is_counted(size) for size in (a, b)) or ties.known(a, b):
            continue
        if not _demanded(function, given, named, a, b):
            continue
        if ties.conflict(a, b) is not None:
            return a, b
        demanded.append((a, b))
    for a, b in demanded:
        ties.add(a, b, getattr(node, "lineno", 0))
    return None


def _demanded(
    function: Function, given: tuple[Value, ...], named: dict[str, Value], a: Size, b: Size
) -> bool:
    """Whether an operator works only where two sizes are equal."""
    with distinct([(a, b)]), unobserved():
        try:
            call_rule(function, given, named)
        except ShapeError:
            return True
    return False


def _why(ties: Ties, a: Size, b: Size) -> str | None:
    """Where one of two sizes was taken for something that the other is not."""
    found = ties.conflict(a, b)
    if found is None:
        return None
    for size, other, opposite in ((a, found[0], b), (b, found[1], a)):
        line = ties.line(size, other)
        if line is not None:
            if str(a) != str(b):
                return f"{_whose(size)} is {_whose(other)} on line {line}"
            both = f"{_whose(other)} (line {line}) and {_whose(opposite)} (here)"
            return f"{_whose(size)} must equal {both}, but {found[0]} and {found[1]} are two different axes"
    return None


def _whose(size: Size) -> str:
    """A size by its name, and whose it is where it belongs to an object."""
    holders = {HOLDERS.get(bare(a.scope), a.scope) for a in atoms(size) if a.kind == "axis"}
    holder = holders.pop() if len(holders) == 1 else ""
    return f"{size} of {holder}" if holder.isidentifier() else str(size)


# what the scopes of axes are called in messages; any other is the name of a parameter
HOLDERS = {HELD_SCOPE: "self", INSTANCE_SCOPE: "", INTEGER_SCOPE: "", LINKED_SCOPE: "", GIVEN_SCOPE: ""}


def _apply(
    function: Function,
    given: tuple[Value, ...],
    named: dict[str, Value],
    ties: Ties,
    met: list[tuple[Size, Size]] | None = None,
) -> Value:
    """A rule; two sizes that may be tied unsaid count as different where one operand has both.

    ``(b, 128) + (128, b)``: the name may stand for the number, but then not as another axis of the
    same tensor; ``(b, h, n, d//h) @ (b, h, n, d//h)``: likewise n and d//h.  Not so where the two were
    taken for one before, or bear one name in two objects: ``f @ self.cov @ f.T``.
    """
    met = [] if met is None else met
    with observing(lambda a, b: met.append((a, b))):
        result = call_rule(function, given, named)
    if not met:
        return result
    listed = [v for group in given if isinstance(group, (list, tuple)) for v in group]
    shapes = [v.shape for v in (*given, *listed) if isinstance(v, Tensor)]
    shapes += [v for v in given if isinstance(v, tuple)]
    shapes.append(tuple(v for v in given if is_size(v)))  # x.expand(b, n, d)
    misaligned = [
        (a, b)
        for a, b in met
        if (is_counted(a) or not is_unknown(a))
        and (is_counted(b) or not is_unknown(b))
        and not _may_be_one(a, b)
        and str(a) != str(b)
        and not ties.known(a, b)
        and any(a in shape and b in shape for shape in shapes)
    ]
    if not misaligned:
        return result
    with distinct(misaligned):
        return call_rule(function, given, named)


def _may_be_one(a: Size, b: Size) -> bool:
    """Whether one size is a number and the other what a program counts or unpacks: it may be that number."""
    number, other = (a, b) if isinstance(a, int) else (b, a)
    if not isinstance(number, int):
        return False
    integers = is_counted(other) or any(atom.kind == "int" for atom in atoms(other))
    return integers or (number == 1 and not generic(other))


def _combinations(
    values: tuple[Value, ...], keywords: Mapping[str, Value]
) -> list[tuple[tuple[Value, ...], dict[str, Value]]] | None:
    """Every combination of options; lists of unknown length are tried with two and three items."""
    if not any(isinstance(value, (Choice, Sequence)) for value in (*values, *keywords.values())):
        return [(values, dict(keywords))]
    combinations: list[list[Value]] = [[]]
    for value in (*values, *keywords.values()):
        options = _expanded(value)
        if len(combinations) * len(options) > MAX_COMBINATIONS:
            return None
        combinations = [[*c, o] for c in combinations for o in options]
    count = len(values)
    return [(tuple(c[:count]), dict(zip(keywords, c[count:], strict=True))) for c in combinations]


def _expanded(value: Value) -> tuple[Value, ...]:
    if isinstance(value, Choice):
        return value.options
    if isinstance(value, Sequence) and value.items is None and value.kind != "modules":
        if value.element is UNKNOWN:
            return (value,)
        each = [o for o in options_of(value.element) if o is not None]  # [None] * n, filled since
        if len(each) == 1 and isinstance(each[0], Tensor):
            counts = COUNTS if value.length is not None else COUNTS[:2]
            return tuple(Sequence(value.kind, (each[0],) * n) for n in counts)
        return (value,)
    return (value,)


def _under_autocast(value: Value) -> Value:
    """Inside autocast an operator may have computed in a lower precision."""
    if isinstance(value, Tensor) and value.dtype & dtypes.FLOAT:
        return replace(value, dtype=value.dtype | dtypes.FLOAT)
    if isinstance(value, tuple) and not isinstance(value, Record):
        return like(value, map(_under_autocast, value))
    return value


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


def _operator_place(node: ast.AST) -> ast.AST:
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


def receiver_text(node: ast.AST) -> str:
    return source(node.func, 40) if isinstance(node, ast.Call) else "the instance"
