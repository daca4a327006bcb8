"""The linear layer."""

import torch
from jaxtyping import Float
from torch import Tensor

from typedtorch import functional as TF
from typedtorch.nn import init
from typedtorch.nn.module import Module


class Linear(Module, scope="instance"):
    """``y = x @ weight.T``, and ``+ bias`` where there is one.

    Weights start as :func:`typedtorch.nn.init.fan_in_normal`, the bias at 0.  ``d_in * d_out``
    parameters, and ``d_out`` with a bias.

    >>> layer = Linear(3, 2, bias=True)
    >>> layer(torch.zeros(5, 3)).shape, layer
    (torch.Size([5, 2]), Linear(d_in=3, d_out=2, bias=True))
    """

    weight: torch.nn.Parameter
    bias: torch.nn.Parameter | None

    def __init__(
        self,
        d_in: int,
        d_out: int,
        *,
        bias: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.d_in, self.d_out = d_in, d_out
        self.weight = torch.nn.Parameter(torch.empty(d_out, d_in, device=device, dtype=dtype))
        if bias:
            self.bias = torch.nn.Parameter(torch.zeros(d_out, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self, *, gain: float = 1.0, generator: torch.Generator | None = None) -> None:
        """Draw the weights again."""
        init.fan_in_normal(self.weight, gain=gain, generator=generator)
        if self.bias is not None:
            torch.nn.init.zeros_(self.bias)

    def forward(self, x: Float[Tensor, "*batch d_in"]) -> Float[Tensor, "*batch d_out"]:
        return TF.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"d_in={self.d_in}, d_out={self.d_out}, bias={self.bias is not None}"
