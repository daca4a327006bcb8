"""The dtype of a layer's parameters: float32 where it is made, another where it is cast.

A module may be cast as a whole, so the dtype of its parameters is no promise.  It is one from where a layer
is made, or cast, to where it is called, as long as all that happens to it in between is in sight.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtorch.shapes.dtypes import ANY, BFLOAT16, FLOAT16, FLOAT32, FLOAT64, show
from typedtorch.shapes.infer.calls.binding import Args
from typedtorch.shapes.infer.frame import Frame, source
from typedtorch.shapes.infer.values.contents import with_parts
from typedtorch.shapes.infer.values.values import Dtype, Instance, LayerV, Sequence, Tensor, Value
from typedtorch.shapes.syntax import dotted

if TYPE_CHECKING:
    from typedtorch.shapes.infer.program.program import Module

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


def of_new(frame: Frame, name: str, args: Args) -> int:
    """The dtype of a new layer's parameters, where it is known and its input must have it too."""
    if name in _NORMS:
        keywords = args.keywords.keys() & {"dtype", "affine", "elementwise_affine"}
        strict = len(args.values) <= _NORMS[name] and not keywords and not args.open
    else:
        strict = name in _STRICT
    if not strict or may_cast(frame.module):
        return ANY
    given = args.keywords.get("dtype")
    return FLOAT32 if given is None else _single(given)


def _single(dtype: Value) -> int:
    """The one float dtype that a value is."""
    return dtype.mask if isinstance(dtype, Dtype) and dtype.mask in _METHODS else ANY


def recast(value: Value, dtype: int) -> Value:
    """A module, or what holds some, with parameters of another dtype."""
    if isinstance(value, LayerV):
        known = dtype if value.name in _STRICT or value.dtype != ANY else ANY
        return value if known == value.dtype else replace(value, dtype=known)
    if isinstance(value, (Instance, Sequence, tuple)):
        return with_parts(value, lambda part: recast(part, dtype))
    return value


def perhaps_cast(value: Value) -> Value:
    """A module, or what holds some, after something that may have cast it."""
    return recast(value, ANY)


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
    dtype = _made_by(method, args)
    if dtype is None:
        return value
    after = recast(value, dtype)
    if after is not value:
        frame.state.replace_value(value, after)
    return after


def _made_by(method: str, args: Args) -> int | None:
    """The dtype of a module's parameters after one of its methods; None where it stays what it is."""
    if method in _KEEPING:
        return None
    if method != "to":
        return next((dtype for dtype, name in _METHODS.items() if name == method), ANY)
    if args.open:
        return ANY
    given = (*args.values, args.keywords.get("dtype"))
    told = [v.dtype if isinstance(v, Tensor) else _single(v) for v in given if isinstance(v, (Tensor, Dtype))]
    if told:
        return told[0] if told[0] in _METHODS else ANY
    others = args.keywords.keys() - {"device", "non_blocking"}
    moved = not others and all(map(_is_place, filter(None, args.nodes)))
    return None if moved else ANY


_METHODS = {FLOAT16: "half", BFLOAT16: "bfloat16", FLOAT32: "float", FLOAT64: "double"}
_KEEPING = frozenset({"cuda", "cpu", "eval", "train", "requires_grad_", "share_memory", "compile"})
_CONTAINERS = ("sequential", "modules")


def check(frame: Frame, layer: LayerV, args: Args, node: ast.AST) -> None:
    """An input whose dtype is certainly not that of the layer's parameters."""
    given = args.values[0] if args.values else None
    if layer.dtype not in _METHODS or frame.state.autocast or not isinstance(given, Tensor):
        return
    if (
        given.dtype not in _METHODS
        or given.dtype == layer.dtype
        or given.library != "torch"
        or 0 in given.shape
    ):
        return
    who = source(args.nodes[0]) if args.nodes and args.nodes[0] is not None else "the input"
    why = ", as numpy's numbers are," if given.dtype == FLOAT64 else ""
    kind = layer.name.rpartition(".")[2]
    text = f"{source(node)}: {who} is {show(given.dtype)}{why} and this {kind} is {show(layer.dtype)}"
    frame.reporter.add(node, "dtype", text, f"cast it: {who}.{_METHODS[layer.dtype]}()")


@lru_cache(maxsize=256)
def may_cast(module: Module) -> bool:
    """Whether a file casts modules, or says what dtype they are made with."""
    tensors = _annotated_tensors(module)
    return any(isinstance(node, ast.Call) and _casts(node, tensors) for node in module.syntax.nodes)


def _casts(node: ast.Call, tensors: Set[str]) -> bool:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if isinstance(node.func, ast.Attribute) and _is_tensor(node.func.value, tensors):
        return False
    if name == "to":
        places = [*node.args, *(k.value for k in node.keywords if k.arg not in ("device", "non_blocking"))]
        return not all(map(_is_place, places))
    return name in _CASTS


def _is_tensor(node: ast.expr, tensors: Set[str]) -> bool:
    """``torch.randn(2, 3)``, ``torch.tensor(a)[0]``, a parameter that is annotated as a tensor."""
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Call)):
        called = dotted(node.func) if isinstance(node, ast.Call) else None
        if called is not None and called.startswith("torch."):
            return not called.startswith(("torch.nn.", "torch.compile", "torch.jit"))
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name) and node.id in tensors


def _annotated_tensors(module: Module) -> set[str]:
    """Names that are parameters annotated as tensors, wherever they are one, and bound to nothing else."""
    found, others = set[str](), set[str]()
    for node in module.syntax.nodes:
        if isinstance(node, ast.arg):
            (found if node.annotation is not None and _says_tensor(node.annotation) else others).add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            others.add(node.id)
    return found - others


def _says_tensor(annotation: ast.expr) -> bool:
    match annotation:
        case ast.Subscript(slice=ast.Tuple(elts=[kind, ast.Constant()])):
            return _says_tensor(kind)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name == "Tensor"
    return False


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
