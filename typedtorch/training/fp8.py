"""Matrix products in eight bits: linear layers whose operands are scaled to fill float8, and rounded to it.

The recipe is per-tensor scaling with the present largest magnitude (Micikevicius et al., arXiv:2209.05433):
activations and weights in e4m3, which has more precision, gradients in e5m2, which has more range. The
parameters, everything between the products, and the first and the last layer keep the types they have.
"""

from __future__ import annotations

import functools
from typing import Any

import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn

from typedtorch.nn import Linear
from typedtorch.training.distributed import repeated_blocks
from typedtorch.training.errors import ConfigError

FORWARD, BACKWARD = torch.float8_e4m3fn, torch.float8_e5m2
_MULTIPLE = 16
"""What the kernels want every side of an operand to be a multiple of."""
_LEAST_CAPABILITY = (8, 9)


def quantise(
    x: Shaped[Tensor, "*shape"], dtype: torch.dtype
) -> tuple[Shaped[Tensor, "*shape"], Float[Tensor, ""]]:
    """``x`` in eight bits and the float32 scale that gives it back: ``x = data * scale``, rounded.

    >>> data, scale = quantise(torch.tensor([1.0, -2.0, 0.5]), FORWARD)
    >>> data.float() * scale, data.float().abs().max().item() == torch.finfo(FORWARD).max
    (tensor([ 1.0000, -2.0000,  0.5000]), True)
    """
    largest = x.detach().abs().amax().float()
    limit: float = torch.finfo(dtype).max
    factor = limit / largest.clamp(min=1e-30)
    # finite values do not pass the limit by more than rounding; NaN and infinity come out as NaN
    return (x.float() * factor).clamp(-limit, limit).to(dtype), factor.reciprocal()


def _product(
    a: Shaped[Tensor, "rows inner"],
    a_scale: Float[Tensor, ""],
    b: Shaped[Tensor, "inner columns"],
    b_scale: Float[Tensor, ""],
    out: torch.dtype,
    fast: bool,
) -> Float[Tensor, "rows columns"]:
    """``a @ b`` of scaled operands; ``a`` lies by rows, ``b`` by columns.

    On a CPU a product of float32, which holds every operand exactly: torch's own takes thousands of times as
    long for some pairs of types on some processors.
    """
    if a.device.type == "cpu":
        with torch.autocast("cpu", enabled=False):
            return (a.float() @ b.float()).mul(a_scale * b_scale).to(out)
    return torch._scaled_mm(a, b, scale_a=a_scale, scale_b=b_scale, out_dtype=out, use_fast_accum=fast)


def _by_columns(x: Shaped[Tensor, "rows columns"]) -> Shaped[Tensor, "rows columns"]:
    return x.t().contiguous().t()


class _Product(torch.autograd.Function):
    """``x @ weight.T``; what is kept for the backward pass has eight bits too."""

    @staticmethod
    def forward(
        ctx: Any, x: Float[Tensor, "rows d_in"], weight: Float[Tensor, "d_out d_in"], out: torch.dtype
    ) -> Float[Tensor, "rows d_out"]:
        rows, rows_scale = quantise(x, FORWARD)
        columns, columns_scale = quantise(weight, FORWARD)
        ctx.save_for_backward(rows, rows_scale, columns, columns_scale)
        ctx.dtypes = x.dtype, weight.dtype
        return _product(rows, rows_scale, columns.t(), columns_scale, out, fast=True)

    @staticmethod
    def backward(
        ctx: Any, *gradients: Float[Tensor, "rows d_out"]
    ) -> tuple[Tensor | None, Tensor | None, None]:
        rows, rows_scale, columns, columns_scale = ctx.saved_tensors
        of_x, of_weight = ctx.dtypes
        upstream: Float[Tensor, "rows d_out"] = gradients[0].contiguous()
        grad, scale = quantise(upstream, BACKWARD)
        for_x = for_weight = None
        if ctx.needs_input_grad[0]:
            for_x = _product(grad, scale, _by_columns(columns), columns_scale, of_x, fast=False)
        if ctx.needs_input_grad[1]:
            turned = grad.t().contiguous()
            for_weight = _product(turned, scale, _by_columns(rows), rows_scale, of_weight, fast=False)
        return for_x, for_weight, None


def fp8_linear(
    x: Float[Tensor, "*batch d_in"],
    weight: Float[Tensor, "d_out d_in"],
    bias: Float[Tensor, " d_out"] | None = None,
) -> Float[Tensor, "*batch d_out"]:
    """``x @ weight.T + bias`` with both operands, and the gradient, rounded to eight bits.

    The result has autocast's dtype where that is on, else that of ``x``. Where a side is no multiple of 16
    it is an ordinary product.

    >>> round(fp8_linear(torch.ones(16, 32), torch.full((48, 32), 0.5))[0, 0].item(), 4)
    16.0
    """
    rows = x.reshape(-1, x.shape[-1])
    if rows.shape[0] % _MULTIPLE or any(n % _MULTIPLE for n in weight.shape):
        return nn.functional.linear(x, weight, bias)
    kind = x.device.type
    out = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else x.dtype
    found: Float[Tensor, "rows d_out"] = _Product.apply(rows, weight, out)  # type: ignore[no-untyped-call]  # torch leaves it untyped
    if bias is not None:
        found = found + bias.to(found.dtype)
    return found.reshape(*x.shape[:-1], weight.shape[0])


def eligible(model: nn.Module) -> list[nn.Module]:
    """The linear layers in the model's repeated blocks whose sides the kernels take."""
    return [
        layer
        for block in repeated_blocks(model)
        for layer in block.modules()
        if isinstance(layer, nn.Linear | Linear)
        and type(layer) in (nn.Linear, Linear)  # a subclass may compute something else
        and not any(n % _MULTIPLE for n in layer.weight.shape)
    ]


def use_fp8(model: nn.Module) -> int:
    """Let the model's eligible linear layers compute in eight bits; returns how many there are.

    Raises:
        ConfigError: there are none.
    """
    found = eligible(model)
    if not found:
        raise ConfigError(
            f"precision fp8: {type(model).__name__} has no list of blocks with linear layers whose sides "
            f"are multiples of {_MULTIPLE}"
        )
    for layer in found:
        layer.forward = functools.partial(_forward, layer)
    return len(found)


def _forward(layer: Any, x: Float[Tensor, "*batch d_in"]) -> Float[Tensor, "*batch d_out"]:
    return fp8_linear(x, layer.weight, layer.bias)


def require_fp8(device: torch.device) -> None:
    """Find out now whether products in eight bits run on ``device``.

    Raises:
        ConfigError: they do not.
    """
    if device.type == "cuda" and torch.cuda.get_device_capability(device) < _LEAST_CAPABILITY:
        major, minor = torch.cuda.get_device_capability(device)
        raise ConfigError(
            f"precision fp8: expected a GPU of compute capability 8.9 or more (Ada, Hopper or later), "
            f"{torch.cuda.get_device_name(device)} has {major}.{minor}; use bf16"
        )
    try:
        x = torch.ones(_MULTIPLE, _MULTIPLE, device=device)
        data, scale = quantise(x, FORWARD)
        _product(data, scale, data.t(), scale, torch.bfloat16, fast=True)
    except (RuntimeError, NotImplementedError, AttributeError, TypeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ConfigError(
            f"precision fp8: this {device.type} cannot multiply float8 matrices ({reason}); use bf16"
        ) from error
