"""Operators of torch, numpy and einops applied to values of the program, through their rules."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial

from typedtorch.shapes import dtypes
from typedtorch.shapes.equality import Pairs, coinciding, is_argument, is_name
from typedtorch.shapes.infer.annotations import specs
from typedtorch.shapes.infer.containers.items import MAX_UNROLL
from typedtorch.shapes.infer.containers.lengths import COUNTS, for_several
from typedtorch.shapes.infer.containers.shared import sets_default_dtype
from typedtorch.shapes.infer.expressions.operands import present
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.operators.demands import apply, tie
from typedtorch.shapes.infer.operators.refusals import report_clash, report_lints, report_refusal
from typedtorch.shapes.infer.operators.rule_values import from_rule, to_rule
from typedtorch.shapes.infer.operators.several_objects import integers_of_several
from typedtorch.shapes.infer.operators.ties import Ties
from typedtorch.shapes.infer.reports.proposals import Applied
from typedtorch.shapes.infer.values.contents import map_tensors
from typedtorch.shapes.infer.values.state import among
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
    Choice,
    Dtype,
    Record,
    Sequence,
    Tensor,
    Value,
    options_of,
)
from typedtorch.shapes.rule import Function, like, lints
from typedtorch.shapes.size import Atom, Size, atoms, unknown
from typedtorch.shapes.tensor import Entry, ShapeError

MAX_COMBINATIONS = 9
MAX_TRIED = 4096  # items of a list that is tried as long as it is


def apply_rule(
    frame: Frame,
    function: Function,
    values: tuple[Value, ...],
    keywords: Mapping[str, Value],
    node: ast.AST,
    nodes: tuple[ast.expr | None, ...],
) -> Value:
    """Apply a rule for every combination of what the arguments may be."""
    combinations = _combinations(*present(function, values, keywords, node))
    if combinations is None:
        return UNKNOWN
    padded = (*nodes, *[None] * (len(values) - len(nodes)))
    written = {k.arg: k.value for k in node.keywords} if keywords and isinstance(node, ast.Call) else {}
    results: list[Value] = []
    errors: list[tuple[Applied, ShapeError]] = []
    for some_values, some_keywords in combinations:
        given = tuple(map(to_rule, some_values, padded))
        named = {k: to_rule(v, written.get(k)) for k, v in some_keywords.items()}
        met: list[tuple[Size, Size]] = []
        try:
            with lints() as warned:
                results.append(from_rule(apply(function, given, named, frame.state.ties, met)))
        except ShapeError as error:
            made = _where_perhaps_one(frame, Applied(function, given, named, node, nodes))
            if made is not UNKNOWN:
                results.append(made)
                continue
            errors.append((Applied(function, given, named, node, nodes), error))
            continue
        if warned and len(combinations) == 1:
            report_lints(frame, Applied(function, given, named, node, nodes))
        if met and len(combinations) == 1:
            clash = tie(frame.state.ties, function, given, named, met, node)
            if clash is not None and not frame.depth:
                which = _perhaps_one(frame, node, given)
                if which is not None and which(*(frame.state.ties.conflict(*clash) or clash)):
                    continue
                report_clash(frame, Applied(function, given, named, node, nodes), clash)
                return UNKNOWN
    if errors and not results and not _fits_another_length(function, values, keywords, frame.state.ties):
        report_refusal(frame, *errors[0])
    if not results:
        return UNKNOWN
    lists = [v for v in (*values, *keywords.values()) if len(_expanded(v)) > 1]
    if errors and any(isinstance(v, Sequence) and v.grown is not None for v in lists):
        return UNKNOWN  # which fits only if the list is short
    result = for_several(results, lists, frame.place(node))
    if not frame.depth:
        frame.state.ties.meet(getattr(function, "__name__", ""), values, keywords, result)
    if isinstance(result, Tensor) and "out" in keywords:
        result = _written_into(result, keywords["out"])
    if isinstance(result, Tensor) and result.dtype in _DEFAULTS and _may_have_another_default(frame):
        result = _of_default(result, (*values, *keywords.values()))
    return _under_autocast(result) if frame.state.autocast else result


def _perhaps_one(frame: Frame, node: ast.AST, operands: tuple[Value, ...]) -> Pairs | None:
    """Which sizes may be one here although nothing says so: what was compared, and what a setting leads to.

    ``x + self.proj(x)``, only ``if self.residual``: whoever sets it knows the widths of the layers.  Likewise
    axes of two arguments, ``if paired`` or where one need not be given; ``if self.mode == "add"`` says more,
    and so does ``if symmetric``.  No setting is why ``x * mask`` fits without ``[..., None]``, or ``q @ k``
    without ``.mT``.
    """
    state = frame.state
    adds = _adds(node)
    settings = [test for test, _ in state.settings if adds or _names_equal(test)]
    several = integers_of_several(frame, node)
    if not (state.asked or settings or several):
        return None
    chosen = any(map(_says_equal, settings))
    own = _axes_by_parameter(frame) if settings and not chosen else []
    apart = [] if any(map(_names_equal, settings)) else _axes_of_one(node, operands)

    def may_be_one(a: Size, b: Size) -> bool:
        if among(a, b, state.asked) or (several and atoms(a) | atoms(b) <= several):
            return True
        if not settings or not is_name(a) or not is_name(b):
            return False
        if any(a in axes and b in axes for axes in apart):
            return False
        both = atoms(a) | atoms(b)
        of_two = bool(own) and not any(both <= sizes for sizes in own) and both <= frozenset().union(*own)
        return chosen or of_two or (is_argument(a) and is_argument(b))

    return may_be_one


def _adds(node: ast.AST) -> bool:
    """Whether an operator goes through its operands together: ``x + y``, ``torch.maximum(x, y)``."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return isinstance(node.op, _MAY_BE_GUARDED)
    return isinstance(node, ast.Call) and getattr(node.func, "attr", None) in _GUARDED_CALLS


_MAY_BE_GUARDED = (ast.Add, ast.Sub, ast.Mult, ast.MatMult)
_GUARDED_CALLS = frozenset({"add", "sub", "mul", "maximum", "minimum", "where"})
_EQUAL = re.compile(
    r"(?i)symm|hermit|square|same|equal|tied?\b|tie_|shared?|self_?att|paired|pairwise|aligned|element_?wise"
)


def _says_equal(test: ast.AST) -> bool:
    """Whether a setting may say that any two sizes are one: by its name, or as one of several modes."""
    if isinstance(test, (ast.Name, ast.Attribute)):
        return _names_equal(test)
    return not _of_none(test)


@lru_cache(maxsize=4096)
def _names_equal(test: ast.AST) -> bool:
    return _EQUAL.search(ast.unparse(test)) is not None


def _axes_of_one(node: ast.AST, operands: tuple[Value, ...]) -> list[tuple[Entry, ...]]:
    """Axes of one operand that would have to be of one size for want of an axis, or of a transpose."""
    tensors = [o for o in operands if isinstance(o, Tensor)]
    if isinstance(getattr(node, "op", None), ast.MatMult):
        return [t.shape[-2:] for t in tensors]
    ranks = {t.rank for t in tensors}
    if None in ranks or len(ranks) < 2:
        return []
    return [t.shape for t in tensors]


def _of_none(test: ast.AST) -> bool:
    return isinstance(test, ast.Compare) and getattr(test.comparators[0], "value", test) is None


def _where_perhaps_one(frame: Frame, applied: Applied) -> Value:
    """What an operator gives that is refused only for sizes that may be one; else unknown."""
    which = _perhaps_one(frame, applied.node, applied.given)
    if which is None:
        return UNKNOWN
    taken: list[Size] = []
    try:
        with coinciding(_noting(which, taken)):
            made = from_rule(apply(applied.function, applied.given, applied.named, frame.state.ties))
    except ShapeError:
        return UNKNOWN
    return map_tensors(made, partial(_without, taken))


def _noting(which: Pairs, taken: list[Size]) -> Pairs:
    def note(a: Size, b: Size) -> bool:
        found = which(a, b)
        if found:
            taken.extend((a, b))
        return found

    return note


def _without(sizes: list[Size], tensor: Tensor) -> Tensor:
    """A tensor of which it is open which of some sizes its axes have."""
    return replace(tensor, layout=None, shape=tuple(unknown() if e in sizes else e for e in tensor.shape))


def _axes_by_parameter(frame: Frame) -> list[frozenset[Atom]]:
    """The axes that each parameter of the function at hand has."""
    function = frame.function
    if function is None or frame.depth:
        return []
    found = []
    for parameter in frame.interpreter.signature(function).parameters:
        names = specs.axis_names(parameter.spec)
        found.append(frozenset(a for name in names for a in atoms(frame.state.names.sizes.get(name, 0))))
    return [axes for axes in found if axes]


def _written_into(result: Tensor, out: Value) -> Value:
    """With ``out=`` the result is that tensor, of the dtype it has."""
    if out is None:
        return result
    if not isinstance(out, Tensor):
        return replace(result, dtype=dtypes.ANY, layout=None)
    return replace(result, dtype=out.dtype, layout=out.layout)


_DEFAULTS = frozenset({dtypes.FLOAT32, dtypes.COMPLEX64})


def _may_have_another_default(frame: Frame) -> bool:
    return bool(frame.interpreter.other_default) or sets_default_dtype(frame.module)


def _of_default(result: Tensor, operands: tuple[Value, ...]) -> Tensor:
    """In a file that sets the default dtype: a float dtype that no operand has may be another one."""
    for operand in operands:
        parts = operand.items if isinstance(operand, Sequence) else operand
        for part in (parts or ()) if isinstance(parts, tuple) else (operand,):
            if isinstance(part, Dtype) or (isinstance(part, Tensor) and part.dtype & ~dtypes.INTEGRAL):
                return result
    family = dtypes.FLOAT if result.dtype & dtypes.FLOAT else dtypes.COMPLEX
    return replace(result, dtype=result.dtype | family)


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
        if value.grown is not None:
            return tuple(Sequence(value.kind, items) for items in value.grown.samples(value.length))
        if value.element is UNKNOWN:
            return (value,)
        each = [o for o in options_of(value.element) if o is not None]  # [None] * n, filled since
        if len(each) == 1 and isinstance(each[0], Tensor):
            known = value.length if isinstance(value.length, int) and value.length <= MAX_UNROLL else None
            counts = (known,) if known is not None else COUNTS[: 2 if value.length is None else None]
            return tuple(Sequence(value.kind, (each[0],) * n) for n in counts)
        return (value,)
    return (value,)


def _fits_another_length(
    function: Function, values: tuple[Value, ...], keywords: Mapping[str, Value], ties: Ties
) -> bool:
    """Whether a list that was tried with a few items is taken as long as it is, or as an axis beside it.

    ``scores == sorted(scores)`` of an array of 101.
    """
    given = (*values, *keywords.values())
    axes = {e for v in given if isinstance(v, Tensor) for e in v.shape if isinstance(e, int)}
    tried = [v for v in given if isinstance(v, Sequence) and len(_expanded(v)) > 1]
    known = {v.length for v in tried if isinstance(v.length, int)}
    for count in sorted(known or axes) if tried else ():
        if COUNTS[-1] < count <= MAX_TRIED:
            made = [to_rule(_of_length(v, count) if any(v is t for t in tried) else v) for v in given]
            named = dict(zip(keywords, made[len(values) :], strict=True))
            with contextlib.suppress(ShapeError):
                apply(function, tuple(made[: len(values)]), named, ties)
                return True
    return False


def _of_length(value: Value, count: int) -> Value:
    """A list of so many items that are alike."""
    return Sequence(value.kind, (value.element,) * count) if isinstance(value, Sequence) else value


def _under_autocast(value: Value) -> Value:
    """Inside autocast an operator may have computed in a lower precision."""
    if isinstance(value, Tensor) and value.dtype & dtypes.FLOAT:
        return replace(value, dtype=value.dtype | dtypes.FLOAT)
    if isinstance(value, tuple) and not isinstance(value, Record):
        return like(value, map(_under_autocast, value))
    return value
