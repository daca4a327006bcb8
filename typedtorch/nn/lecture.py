"""The deep linear network of Stanford's CS336, lecture 2: small enough to do all accounting by hand.

A step on a batch of B costs ``2*B*D*D`` FLOPs per layer forward and twice that backward, except in the first
layer, whose input needs no gradient.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from typedtorch.nn.containers import ModuleList
from typedtorch.nn.module import Module


class Linear(Module, scope="instance"):
    """``y = x @ w`` with ``w`` laid out (in, out) and drawn from ``N(0, 1/d_in)``.

    >>> Linear(3, 2)(torch.ones(5, 3)).shape
    torch.Size([5, 2])
    """

    w: torch.nn.Parameter

    def __init__(
        self,
        d_in: int,
        d_out: int,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.d_in, self.d_out = d_in, d_out
        self.w = torch.nn.Parameter(torch.empty(d_in, d_out, device=device, dtype=dtype))
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self, *, generator: torch.Generator | None = None) -> None:
        """Draw the weights again."""
        if not self.w.is_meta:
            self.w.normal_(generator=generator).div_(math.sqrt(self.d_in))

    def forward(self, x: Float[Tensor, "batch d_in"]) -> Float[Tensor, "batch d_out"]:
        return x @ self.w


class Cruncher(Module, scope="instance"):
    """A deep linear network: ``num_layers`` maps of ``dim`` to ``dim``, then one of ``dim`` to 1.

    The model of Stanford's CS336, lecture 2.  ``num_layers * dim**2 + dim`` parameters.

    >>> Cruncher(4, 3)(torch.ones(2, 4)).shape
    torch.Size([2])
    """

    def __init__(
        self,
        dim: int,
        num_layers: int,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.dim, self.num_layers = dim, num_layers
        self.layers = ModuleList([Linear(dim, dim, device=device, dtype=dtype) for _ in range(num_layers)])
        self.final = Linear(dim, 1, device=device, dtype=dtype)

    def forward(self, x: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch"]:
        for layer in self.layers:
            x = layer(x)
        return self.final(x).squeeze(-1)
