"""Rotary position embeddings (Su et al., RoFormer, arXiv:2104.09864).

Each pair of features is rotated by an angle proportional to its position, so that the product
of a query and a key depends on their distance alone.  Two layouts of the pairs are in use, and
weights trained with one are wrong in the other: hence two functions, never a flag.

- interleaved: pairs (0, 1), (2, 3), ... as in the paper and in Meta's Llama
- half-split: pairs (0, d/2), (1, d/2 + 1), ... as in GPT-NeoX and in Hugging Face's Llama
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True)
class RopeStretch:
    """Llama 3.1's way to a longer context (Dubey et al., arXiv:2407.21783; the numbers are Meta's).

    Slow pairs, which turn fewer than ``low`` times in the ``original`` context, turn ``factor`` times
    slower; fast ones, which turn more than ``high`` times, stay; between them the change is gradual.

    Raises:
        ValueError: a number is not positive, or ``low`` is not below ``high``.
    """

    factor: float
    low: float = 1.0
    high: float = 4.0
    original: int = 8192

    def __post_init__(self) -> None:
        if min(self.factor, self.low, self.original) <= 0 or self.low >= self.high:
            raise ValueError(f"RopeStretch: numbers are positive and low is below high, got {self}")

    def __call__(self, frequencies: Float[Tensor, "half"]) -> Float[Tensor, "half"]:
        """The stretched frequencies, in radians per position.

        >>> RopeStretch(8.0)(torch.tensor([1.0, 1e-5]))
        tensor([1.0000e+00, 1.2500e-06])
        """
        turns = self.original * frequencies / (2 * math.pi)
        kept = ((turns - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
        return frequencies * (kept + (1.0 - kept) / self.factor)


def rope_table(
    positions: Int[Tensor, "*batch seq"],
    head_dim: int,
    *,
    theta: float = 10_000.0,
    stretch: RopeStretch | None = None,
) -> tuple[Float[Tensor, "*batch seq half"], Float[Tensor, "*batch seq half"]]:
    """Cosines and sines of ``positions[s] * theta**(-2*i/head_dim)``, float32; ``half`` is ``head_dim//2``.

    With ``stretch``, of those frequencies stretched for a longer context.  Positions of their own for each
    sequence, as of packed documents, are ``(batch, seq)``; beside heads they need an axis of 1.

    Raises:
        ValueError: ``head_dim`` is odd.

    >>> cos, sin = rope_table(torch.arange(3), 4)
    >>> cos.shape, sin[1]
    (torch.Size([3, 2]), tensor([0.8415, 0.0100]))
    """
    if head_dim % 2:
        raise ValueError(f"rope_table: head_dim is rotated in pairs and must be even, got {head_dim}")
    exponents = torch.arange(0, head_dim, 2, device=positions.device, dtype=torch.float32) / head_dim
    frequencies = 1.0 / theta**exponents
    if stretch is not None:
        frequencies = stretch(frequencies)
    angles = positions.float()[..., None] * frequencies
    return angles.cos(), angles.sin()


def rope_interleaved(
    x: Float[Tensor, "*batch seq head_dim"],
    cos: Float[Tensor, "*#batch seq head_dim//2"],
    sin: Float[Tensor, "*#batch seq head_dim//2"],
) -> Float[Tensor, "*batch seq head_dim"]:
    """Rotate the pairs ``(x[2i], x[2i+1])`` by the table's angles.

    ``y[2i] = x[2i]*cos[i] - x[2i+1]*sin[i]`` and ``y[2i+1] = x[2i+1]*cos[i] + x[2i]*sin[i]``,
    computed in the table's dtype and returned in that of ``x``.

    >>> cos, sin = torch.zeros(1, 2), torch.ones(1, 2)  # a quarter turn
    >>> rope_interleaved(torch.tensor([[1.0, 2.0, 3.0, 4.0]]), cos, sin)
    tensor([[-2.,  1., -4.,  3.]])
    """
    even, odd = x[..., 0::2], x[..., 1::2]
    rotated: Float[Tensor, "*batch seq pairs 2"] = torch.stack(
        (even * cos - odd * sin, odd * cos + even * sin), dim=-1
    )
    return rotated.flatten(-2).to(x.dtype)


def rope_half_split(
    x: Float[Tensor, "*batch seq head_dim"],
    cos: Float[Tensor, "*#batch seq head_dim//2"],
    sin: Float[Tensor, "*#batch seq head_dim//2"],
) -> Float[Tensor, "*batch seq head_dim"]:
    """Rotate the pairs ``(x[i], x[i + head_dim//2])`` by the table's angles.

    The same map as :func:`rope_interleaved` with the features in another order.

    >>> cos, sin = torch.zeros(1, 2), torch.ones(1, 2)  # a quarter turn
    >>> rope_half_split(torch.tensor([[1.0, 2.0, 3.0, 4.0]]), cos, sin)
    tensor([[-3., -4.,  1.,  2.]])
    """
    first, second = x.chunk(2, dim=-1)
    rotated = torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)
    return rotated.to(x.dtype)
