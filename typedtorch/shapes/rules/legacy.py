"""Constructors of older programs: ``torch.FloatTensor(3, 4)``, ``x.new(5)``, ``Variable(x)``."""

# mypy: disable-error-code="no-any-return"
# (what a program passes has any type until need() has looked at it)
from __future__ import annotations

from typing import Any

from typedtorch.shapes.dtypes import ANY, BIT, FLOAT32
from typedtorch.shapes.rule import rule
from typedtorch.shapes.rules.creation import from_sizes, shape_of_data
from typedtorch.shapes.rules.forms import is_size, methods, need
from typedtorch.shapes.rules.promotion import mask_of, with_dtype
from typedtorch.shapes.rules.views import sizes_of
from typedtorch.shapes.tensor import ANY_AXES, UNKNOWN, Tensor, Undecided

_KINDS = {
    "Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Bool": "bool",
    "Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64",
}  # fmt: skip


def _made(data: tuple[Any, ...], dtype: int) -> Tensor:
    """Of sizes, or of one list of numbers, or as one tensor is."""
    if len(data) != 1:
        if not all(is_size(size) or size is UNKNOWN for size in data):
            raise Undecided
        return from_sizes(sizes_of(data) if data else (0,), dtype)
    given = data[0]
    if isinstance(given, list):
        shape, _ = shape_of_data(given)
        return Tensor(shape, dtype, deliberate=1 in shape)
    if isinstance(given, Tensor):
        return Tensor(given.shape, dtype)
    # a tuple may be the sizes of a tensor, or numbers
    return from_sizes(data, dtype) if is_size(given) else Tensor((ANY_AXES,), dtype)


@rule("torch.Tensor", sample="size:a, size:b | size:a | [1, 2] | [[0.5], [2]] | n:* | ")
def tensor(*data: Any, device: Any = None) -> Tensor:
    if len(data) == 1 and isinstance(data[0], Tensor) and data[0].library == "torch":
        return with_dtype(data[0], mask_of(data[0]))
    perhaps_one = len(data) == 1 and not is_size(data[0]) and not isinstance(data[0], (list, Tensor))
    return _made(data, ANY if perhaps_one else FLOAT32)


def _of_kind(kind: str, dtype: int) -> None:
    names = (f"torch.{kind}Tensor", f"torch.cuda.{kind}Tensor")

    @rule(*names, sample="size:a, size:b | size:a | [1, 2] | [[1], [0]] | ")
    def made(*data: Any, device: Any = None) -> Tensor:
        return _made(data, dtype)


for _kind, _dtype in _KINDS.items():
    _of_kind(_kind, BIT[_dtype])


@rule(*methods("new"), sample="n:*, size:a, size:b | n:*, [1, 2] | n:*, size:a")
def new(self: Any, *data: Any, device: Any = None) -> Tensor:
    return _made(data, mask_of(need(self)))


@rule("torch.autograd.Variable", sample="f:* | f:*, False")
def variable(data: Any, requires_grad: Any = False, volatile: Any = False) -> Tensor:
    """The tensor itself."""
    return with_dtype(need(data), mask_of(data))
