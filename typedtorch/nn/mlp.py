"""Feed-forward layers."""

from collections.abc import Callable
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from typedtorch import functional as TF
from typedtorch.nn.linear import Linear
from typedtorch.nn.module import Module

Activation = Literal["gelu", "gelu_tanh", "silu", "relu"]

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": TF.gelu,
    "gelu_tanh": TF.gelu_tanh,
    "silu": TF.silu,
    "relu": F.relu,
}


class SwiGLU(Module, scope="instance"):
    """``down(silu(gate(x)) * up(x))`` (Shazeer, arXiv:2002.05202): ``3 * d_model * d_ff`` parameters.

    >>> SwiGLU(4, 8)(torch.ones(2, 4)).shape
    torch.Size([2, 4])
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        bias: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.d_model, self.d_ff = d_model, d_ff
        self.gate = Linear(d_model, d_ff, bias=bias, device=device, dtype=dtype)
        self.up = Linear(d_model, d_ff, bias=bias, device=device, dtype=dtype)
        self.down = Linear(d_ff, d_model, bias=bias, device=device, dtype=dtype)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        return self.down(TF.silu(self.gate(x)) * self.up(x))


class MLP(Module, scope="instance"):
    """``down(activation(up(x)))``: ``2 * d_model * d_ff`` parameters and the biases.

    Raises:
        ValueError: an unknown activation, naming the known ones.

    >>> MLP(4, 8, activation="relu")(torch.ones(2, 4)).shape
    torch.Size([2, 4])
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: Activation = "gelu_tanh",
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if activation not in ACTIVATIONS:
            raise ValueError(f"MLP: no activation {activation!r}; there are {', '.join(ACTIVATIONS)}")
        self.d_model, self.d_ff, self.activation = d_model, d_ff, activation
        self.up = Linear(d_model, d_ff, bias=bias, device=device, dtype=dtype)
        self.down = Linear(d_ff, d_model, bias=bias, device=device, dtype=dtype)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        return self.down(ACTIVATIONS[self.activation](self.up(x)))

    def extra_repr(self) -> str:
        return f"activation={self.activation}"
