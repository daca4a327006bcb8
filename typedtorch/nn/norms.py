"""Normalisation layers."""

import torch
from jaxtyping import Float
from torch import Tensor

from typedtorch import functional as TF
from typedtorch.nn.module import Module


class RMSNorm(Module, scope="instance"):
    """:func:`typedtorch.functional.rms_norm` with a learned scale, ``d_model`` parameters.

    >>> RMSNorm(2)(torch.tensor([[3.0, 4.0]])).square().mean().round().item()
    1.0
    """

    weight: torch.nn.Parameter

    def __init__(
        self,
        d_model: int,
        *,
        eps: float = 1e-5,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.d_model, self.eps = d_model, eps
        self.weight = torch.nn.Parameter(torch.ones(d_model, device=device, dtype=dtype))

    def reset_parameters(self) -> None:
        """Back to a scale of 1."""
        torch.nn.init.ones_(self.weight)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        return TF.rms_norm(x, self.weight, eps=self.eps)

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}, eps={self.eps:g}"


class LayerNorm(Module, scope="instance"):
    """:func:`typedtorch.functional.layer_norm` with a learned scale and shift.

    ``2 * d_model`` parameters, half of that without ``bias``.

    >>> LayerNorm(2)(torch.tensor([[1.0, 3.0]])).round().tolist()
    [[-1.0, 1.0]]
    """

    weight: torch.nn.Parameter
    bias: torch.nn.Parameter | None

    def __init__(
        self,
        d_model: int,
        *,
        eps: float = 1e-5,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.d_model, self.eps = d_model, eps
        self.weight = torch.nn.Parameter(torch.ones(d_model, device=device, dtype=dtype))
        if bias:
            self.bias = torch.nn.Parameter(torch.zeros(d_model, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)

    def reset_parameters(self) -> None:
        """Back to a scale of 1 and a shift of 0."""
        torch.nn.init.ones_(self.weight)
        if self.bias is not None:
            torch.nn.init.zeros_(self.bias)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        return TF.layer_norm(x, self.weight, self.bias, eps=self.eps)

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}, eps={self.eps:g}, bias={self.bias is not None}"
