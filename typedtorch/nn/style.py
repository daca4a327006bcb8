"""Which parts a Transformer is built from: small frozen values, each of which builds its part.

``LLAMA`` and ``GPT2`` are two families; any other mix is ``Style(norm=..., mlp=..., positions=...)``.
"""

from dataclasses import dataclass, field

import torch

from typedtorch.functional import RopeStretch
from typedtorch.nn.attention import Pairs
from typedtorch.nn.mlp import MLP, Activation, SwiGLU
from typedtorch.nn.norms import LayerNorm, RMSNorm


@dataclass(frozen=True)
class RMS:
    """Root-mean-square norms."""

    eps: float = 1e-5

    def build(self, d_model: int, device: torch.device | str | None, dtype: torch.dtype | None) -> RMSNorm:
        return RMSNorm(d_model, eps=self.eps, device=device, dtype=dtype)


@dataclass(frozen=True)
class Centred:
    """Layer norms, with or without a shift."""

    eps: float = 1e-5
    bias: bool = True

    def build(self, d_model: int, device: torch.device | str | None, dtype: torch.dtype | None) -> LayerNorm:
        return LayerNorm(d_model, eps=self.eps, bias=self.bias, device=device, dtype=dtype)


@dataclass(frozen=True)
class Gated:
    """SwiGLU feed-forward layers, ``d_ff`` near ``8/3 * d_model`` by default."""

    bias: bool = False

    def build(
        self, d_model: int, d_ff: int, device: torch.device | str | None, dtype: torch.dtype | None
    ) -> SwiGLU:
        return SwiGLU(d_model, d_ff, bias=self.bias, device=device, dtype=dtype)

    def default_width(self, d_model: int) -> int:
        """``8/3 * d_model`` rounded up to a multiple of 64: as many parameters as a plain layer of 4."""
        return -(-8 * d_model // (3 * 64)) * 64


@dataclass(frozen=True)
class Plain:
    """Feed-forward layers of two maps, ``d_ff = 4 * d_model`` by default."""

    activation: Activation = "gelu_tanh"
    bias: bool = True

    def build(
        self, d_model: int, d_ff: int, device: torch.device | str | None, dtype: torch.dtype | None
    ) -> MLP:
        return MLP(d_model, d_ff, activation=self.activation, bias=self.bias, device=device, dtype=dtype)

    def default_width(self, d_model: int) -> int:
        return 4 * d_model


@dataclass(frozen=True)
class Rotary:
    """Positions as rotations of queries and keys; they have no parameters and no end."""

    theta: float = 10_000.0
    pairs: Pairs = "half-split"
    stretch: RopeStretch | None = None


@dataclass(frozen=True)
class Learned:
    """Positions as a table of ``max_seq`` rows, added to the embedding."""


@dataclass(frozen=True)
class Style:
    """The parts of a pre-norm decoder.

    >>> Style(positions=Rotary(theta=500_000.0)).norm
    RMS(eps=1e-05)
    """

    norm: RMS | Centred = field(default_factory=RMS)
    mlp: Gated | Plain = field(default_factory=Gated)
    positions: Rotary | Learned = field(default_factory=Rotary)
    attention_bias: bool = False


LLAMA = Style()
GPT2 = Style(norm=Centred(), mlp=Plain(), positions=Learned(), attention_bias=True)
