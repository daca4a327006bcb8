"""The embedding table."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from typedtorch import functional as TF
from typedtorch.nn import init
from typedtorch.nn.module import Module


class Embedding(Module, scope="instance"):
    """One row of ``weight`` per token.

    Rows start as truncated normal numbers with deviation ``std``.  ``vocab * d_model`` parameters.

    >>> Embedding(10, 4)(torch.tensor([[1, 2, 3]])).shape
    torch.Size([1, 3, 4])
    """

    weight: torch.nn.Parameter

    def __init__(
        self,
        vocab: int,
        d_model: int,
        *,
        std: float = 0.02,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.vocab, self.d_model, self.std = vocab, d_model, std
        self.weight = torch.nn.Parameter(torch.empty(vocab, d_model, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self, *, generator: torch.Generator | None = None) -> None:
        """Draw the rows again."""
        init.truncated_normal(self.weight, self.std, generator=generator)

    def forward(self, tokens: Int[Tensor, "*batch"]) -> Float[Tensor, "*batch d_model"]:
        return TF.embedding(tokens, self.weight)

    def extra_repr(self) -> str:
        return f"vocab={self.vocab}, d_model={self.d_model}"
