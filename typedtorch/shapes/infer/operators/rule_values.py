"""Values of the program as rules see them, and what rules answer as values."""

from __future__ import annotations

import ast
from dataclasses import replace

from typedtorch.shapes import dtypes
from typedtorch.shapes.infer.values.values import (
    UNKNOWN,
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
)
from typedtorch.shapes.rule import Fields, Layer, like
from typedtorch.shapes.size import Poly, unknown
from typedtorch.shapes.tensor import Pack

_PYTHON_DTYPES = {
    "builtins.float": dtypes.FLOAT64,
    "builtins.int": dtypes.INT64,
    "builtins.bool": dtypes.BOOL,
}


# kinds of values, the most frequent ones, that are the same to a rule
_AS_THEY_ARE = frozenset({Tensor, Poly, int, bool, float, str, type(None)})


def to_rule(value: Value, node: ast.expr | None = None) -> Value:
    """A value as rules see it; ``node`` is where it is written."""
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, Sequence):
        written = node.elts if type(node) is ast.List else None
        if not value.items:
            # an empty list is usually one that is filled where it cannot be seen, but not where it is written
            return [] if written == [] else UNKNOWN
        if written is None or len(written) != len(value.items):
            return [to_rule(v) for v in value.items]
        return [to_rule(v, n) for v, n in zip(value.items, written, strict=True)]
    if isinstance(value, Record):
        return value
    if isinstance(value, tuple):
        return like(value, (to_rule(v) for v in value))
    if isinstance(value, slice):
        return slice(*(to_rule(v) for v in (value.start, value.stop, value.step)))
    if isinstance(value, LayerV):
        return value.layer
    if isinstance(value, Instance) and value.info.kind.is_named_tuple:
        return Fields(to_rule(value.attributes.get(n, UNKNOWN)) for n in value.info.fields())
    if value is None or value is Ellipsis or isinstance(value, (Tensor, Scalar, Dtype, Pack)):
        return value
    if is_size(value) or isinstance(value, (bool, float, str)):
        return value
    if isinstance(value, External) and value.name in _PYTHON_DTYPES:
        return Dtype(_PYTHON_DTYPES[value.name])
    return UNKNOWN


def from_rule(value: Value) -> Value:
    """A rule's answer as a value."""
    if isinstance(value, Tensor):
        return value if all(isinstance(e, (int, Poly, Pack)) for e in value.shape) else _made_whole(value)
    if isinstance(value, list):
        return Sequence("list", tuple(from_rule(v) for v in value))
    if isinstance(value, Record):
        return value
    if isinstance(value, tuple):
        return tuple(from_rule(v) for v in value)
    return LayerV("torch.nn.Module", value) if isinstance(value, Layer) else value


def _made_whole(value: Tensor) -> Tensor:
    """A rule that passes an unknown argument on as a size means an unknown size."""
    return replace(
        value,
        layout=None,
        shape=tuple(e if isinstance(e, (int, Poly, Pack)) else unknown() for e in value.shape),
    )
