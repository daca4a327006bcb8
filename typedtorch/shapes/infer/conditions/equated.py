"""Facts that follow from an equality of shapes, ranks or sizes: ``x.shape == y.shape``, ``x.ndim == 3``."""

from __future__ import annotations

import ast
from dataclasses import replace

from typedtorch.shapes.infer.conditions.places import read_place, shape_read, write_place
from typedtorch.shapes.infer.conditions.solving import equate
from typedtorch.shapes.infer.frame import Frame
from typedtorch.shapes.infer.values.values import Tensor, Value, is_size
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import ANY_AXES, Entry, Pack, Shape, better, pack_index


def prove_equal(frame: Frame, left: ast.expr, a: Value, right: ast.expr, b: Value) -> bool:
    """Facts that follow from ``left == right``."""
    both = isinstance(a, tuple) and isinstance(b, tuple) and shape_read(left) and shape_read(right)
    if both and len(a) != len(b) and pack_index((*a, *b)) is None:
        return False
    for node, value, other in ((left, a, b), (right, b, a)):
        subject = rank_of(node)
        if subject is not None and isinstance(other, int):
            return set_rank(frame, subject, other)
        if isinstance(value, tuple) and isinstance(other, tuple) and shape_read(node) is not None:
            if _same_run(frame, node, value, other):
                return True
            _set_shape(frame, node, other)
    if is_size(a) and is_size(b):
        return equate(frame, a, b)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return all(equate(frame, x, y) for x, y in zip(a, b, strict=True) if is_size(x) and is_size(y))
    return True


def rank_of(node: ast.expr) -> ast.expr | None:
    """The tensor whose rank an expression is: ``x.ndim``, ``x.dim()``, ``len(x.shape)``."""
    match node:
        case ast.Attribute(value=subject, attr="ndim"):
            return subject
        case ast.Call(func=ast.Attribute(value=subject, attr="dim" | "ndimension"), args=[]):
            return subject
        case ast.Call(func=ast.Name(id="len"), args=[inner]):
            return shape_read(inner)
    return None


def set_rank(frame: Frame, subject: ast.expr, rank: int) -> bool:
    value = read_place(frame, subject)
    if not isinstance(value, Tensor):
        return True
    known = value.rank
    if known is not None:
        return known == rank
    at = pack_index(value.shape)
    assert at is not None
    missing = rank - sum(not isinstance(e, Pack) for e in value.shape)
    if missing < 0:
        return False
    if sum(isinstance(e, Pack) for e in value.shape) > 1:
        return True
    pack = value.shape[at]
    assert isinstance(pack, Pack)
    place = frame.place(subject)
    fresh: tuple[Entry, ...] = tuple(unknown(f"?{place}.{i}") for i in range(missing))
    if pack.open:
        write_place(
            frame,
            subject,
            replace(value, layout=None, shape=(*value.shape[:at], *fresh, *value.shape[at + 1 :])),
        )
        # it may come from a tensor of any rank (``x.T``), whose rank is known here too
        names = frame.state.names
        names.packs = {k: (ANY_AXES,) if pack_index(v) is not None else v for k, v in names.packs.items()}
    else:
        frame.state.replace_pack(pack, fresh)
    return True


def _same_run(frame: Frame, node: ast.expr, shape: Shape, other: Shape) -> bool:
    """``x.shape == y.shape``, where ``x`` is one run of axes: it is the axes of ``y``."""
    if len(shape) != 1 or not isinstance(shape[0], Pack) or shape == other:
        return False
    if not all(is_size(e) or isinstance(e, Pack) for e in other) or shape[0] in other:
        return False
    if any(isinstance(e, Pack) and (e.anonymous or e.open > shape[0].open) for e in other):
        return False
    subject = shape_read(node)
    value = None if subject is None else read_place(frame, subject)
    if not isinstance(value, Tensor) or subject is None:
        return False
    if shape[0].open:
        write_place(frame, subject, replace(value, layout=None, shape=other))
    else:
        frame.state.replace_pack(shape[0], other)
    return True


def _set_shape(frame: Frame, node: ast.expr, shape: tuple[Value, ...]) -> None:
    subject = shape_read(node)
    if subject is None or pack_index(shape) is not None:
        return
    value = read_place(frame, subject)
    if not isinstance(value, Tensor):
        return
    place = frame.place(node)
    proven = tuple(v if is_size(v) else unknown(f"?{place}.{i}") for i, v in enumerate(shape))
    # a test that contradicts an annotation is what holds from here on
    merged = _merge(value.shape, proven) if value.rank == len(proven) else proven
    write_place(frame, subject, replace(value, layout=None, shape=merged))


def _merge(a: Shape, b: Shape) -> Shape:
    return tuple(
        x if isinstance(x, Pack) or isinstance(y, Pack) else better(x, y) for x, y in zip(a, b, strict=True)
    )
