"""Layers of the default dtype, float32, that nothing has cast since they were made.

A module may be cast as a whole, so the dtype of its parameters is no promise.  It is one from where a layer
is made to where it is called, as long as all that happens to it in between is in sight and casts nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtorch.shapes.dtypes import FLOAT64
from typedtorch.shapes.infer.binding import Args
from typedtorch.shapes.infer.contents import with_parts
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.values import Instance, LayerV, Sequence, Tensor, Value

if TYPE_CHECKING:
    from typedtorch.shapes.infer.program import Module

# layers that refuse an input of another dtype than that of their parameters
_STRICT = frozenset(
    f"torch.nn.{name}"
    for name in (
        "Linear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
        "LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell", "Bilinear", "PReLU", "MultiheadAttention",
        "TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer",
    )
)  # fmt: skip
# the same where they have parameters, as long as so many arguments are given
_NORMS = {
    "torch.nn.LayerNorm": 2, "torch.nn.GroupNorm": 3,
    "torch.nn.BatchNorm1d": 3, "torch.nn.BatchNorm2d": 3, "torch.nn.BatchNorm3d": 3,
}  # fmt: skip


def is_default(frame: Frame, name: str, args: Args) -> bool:
    """Whether a layer that is made here has parameters of the default dtype."""
    if name in _NORMS:
        keywords = args.keywords.keys() & {"dtype", "affine", "elementwise_affine"}
        strict = len(args.values) <= _NORMS[name] and not keywords and not args.open
    else:
        strict = name in _STRICT and "dtype" not in args.keywords
    return strict and not may_cast(frame.module)


def perhaps_cast(value: Value) -> Value:
    """A module, or what holds some, after something that may have cast it."""
    if isinstance(value, LayerV):
        return replace(value, is_default=False) if value.is_default else value
    return with_parts(value, perhaps_cast) if isinstance(value, (Instance, Sequence, tuple)) else value


def forget(frame: Frame, value: Value) -> None:
    """Something that is not followed is done to a module, or with it."""
    if isinstance(value, (LayerV, Instance)) or (isinstance(value, Sequence) and value.kind in _CONTAINERS):
        after = perhaps_cast(value)
        if after is not value:
            frame.state.replace_value(value, after)


def given_to(frame: Frame, module: Module, values: Iterable[Value]) -> None:
    """Modules are given to a function or a class of a file, which may cast them."""
    if may_cast(module):
        for value in values:
            forget(frame, value)


def cast(frame: Frame, value: Value, method: str, args: Args) -> Value:
    """``module.double()``, ``module.to(device)``: what it gives back, which is the module itself."""
    moved = method == "to" and not args.open and all(map(_is_place, [*filter(None, args.nodes)]))
    if method in _KEEPING or (moved and not args.keywords.keys() - {"device", "non_blocking"}):
        return value
    after = perhaps_cast(value)
    if after is not value:
        frame.state.replace_value(value, after)
    return after


_KEEPING = frozenset({"cuda", "cpu", "float", "eval", "train", "requires_grad_", "share_memory", "compile"})
_CONTAINERS = ("sequential", "modules")


def check(frame: Frame, layer: LayerV, args: Args, node: ast.AST) -> None:
    """An input that is certainly float64, as numpy's numbers are, into a layer of float32."""
    given = args.values[0] if args.values else None
    if not layer.is_default or frame.state.autocast or not isinstance(given, Tensor):
        return
    if given.dtype != FLOAT64 or given.library != "torch" or 0 in given.shape:
        return
    who = source(args.nodes[0]) if args.nodes and args.nodes[0] is not None else "the input"
    kind = layer.name.rpartition(".")[2]
    text = f"{source(node)}: {who} is float64, as numpy's numbers are, and this {kind} is float32"
    frame.reporter.add(node, "dtype", text, f"cast it: {who}.float()")


@lru_cache(maxsize=256)
def may_cast(module: Module) -> bool:
    """Whether a file casts modules, or says what dtype they are made with."""
    return any(isinstance(node, ast.Call) and _casts(node) for node in module.syntax.nodes)


def _casts(node: ast.Call) -> bool:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name == "to":
        places = [*node.args, *(k.value for k in node.keywords if k.arg not in ("device", "non_blocking"))]
        return not all(map(_is_place, places))
    return name in _CASTS


def _is_place(node: ast.expr) -> bool:
    """``"cuda"``, ``device``, ``x.device``, ``torch.device("cpu")``."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return "device" in name.lower() or name == "float32"


_CASTS = frozenset(
    {
        "double", "half", "bfloat16", "type", "type_as", "to_empty", "_apply", "set_default_dtype",
        "set_default_tensor_type", "autocast", "getattr", "setattr",
    }
)  # fmt: skip
