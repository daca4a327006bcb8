"""Windows of signals: ``torch.hann_window`` and ``torch.signal.windows``."""

from __future__ import annotations

from typing import Any

from typedtorch.shapes import dtypes
from typedtorch.shapes.dtypes import FLOAT32, FLOAT64
from typedtorch.shapes.rule import rule
from typedtorch.shapes.rules.forms import is_size, under
from typedtorch.shapes.rules.promotion import dtype_of
from typedtorch.shapes.size import unknown
from typedtorch.shapes.tensor import ShapeError, Tensor


@rule(
    "torch.hann_window",
    "torch.hamming_window",
    "torch.blackman_window",
    "torch.bartlett_window",
    "torch.kaiser_window",
    sample="size:n | 5, True",
)
def window(
    window_length: Any, periodic: Any = True, *settings: Any, dtype: Any = None, **more: Any
) -> Tensor:
    return Tensor((window_length if is_size(window_length) else unknown(),), dtype_of(dtype, FLOAT32))


def _window(M: Any, dtype: Any) -> Tensor:
    mask = dtype_of(dtype, FLOAT32)
    if not mask & (FLOAT32 | FLOAT64):
        raise ShapeError(f"dtype={dtypes.show(mask)}, wanted float32 or float64", "dtype")
    return Tensor((M if is_size(M) else unknown(),), mask & (FLOAT32 | FLOAT64))


@rule(
    *under("torch.signal.windows", "bartlett blackman cosine hamming hann nuttall"),
    sample="size:n | 5, sym=False | 6, dtype=fdtype",
)
def plain_window(M: Any, *, sym: Any = True, dtype: Any = None, **settings: Any) -> Tensor:
    return _window(M, dtype)


@rule(*under("torch.signal.windows", "kaiser gaussian exponential"), sample="size:n | 5, sym=False")
def shaped_window(
    M: Any,
    *,
    beta: Any = 12.0,
    std: Any = 1.0,
    tau: Any = 1.0,
    dtype: Any = None,
    **settings: Any,
) -> Tensor:
    return _window(M, dtype)


@rule("torch.signal.windows.general_hamming", sample="size:n | 5, alpha=0.5")
def general_hamming(M: Any, *, alpha: Any = 0.54, dtype: Any = None, **settings: Any) -> Tensor:
    return _window(M, dtype)


@rule("torch.signal.windows.general_cosine", sample="size:n, a=[0.5, 0.5]")
def general_cosine(M: Any, *, a: Any, dtype: Any = None, **settings: Any) -> Tensor:
    return _window(M, dtype)
