"""Rotary position embeddings (Su et al., RoFormer, arXiv:2104.09864).

Each pair of features is rotated by an angle proportional to its position, so that the product
of a query and a key depends on their distance alone.  Two layouts of the pairs are in use, and
weights trained with one are wrong in the other: hence two functions, never a flag.

- interleaved: pairs (0, 1), (2, 3), ... as in the paper and in Meta's Llama
- half-split: pairs (0, d/2), (1, d/2 + 1), ... as in GPT-NeoX and in Hugging Face's Llama
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def rope_table(
    positions: Int[Tensor, "seq"],
    head_dim: int,
    *,
    theta: float = 10_000.0,
) -> tuple[Float[Tensor, "seq half"], Float[Tensor, "seq half"]]:
    """Cosines and sines of ``positions[s] * theta**(-2*i/head_dim)``, float32; ``half`` is ``head_dim//2``.

    Raises:
        ValueError: ``head_dim`` is odd.

    >>> cos, sin = rope_table(torch.arange(3), 4)
    >>> cos.shape, sin[1]
    (torch.Size([3, 2]), tensor([0.8415, 0.0100]))
    """
    if head_dim % 2:
        raise ValueError(f"rope_table: head_dim is rotated in pairs and must be even, got {head_dim}")
    exponents = torch.arange(0, head_dim, 2, device=positions.device, dtype=torch.float32) / head_dim
    angles = positions.float()[:, None] * (1.0 / theta**exponents)
    return angles.cos(), angles.sin()


def rope_interleaved(
    x: Float[Tensor, "*batch seq head_dim"],
    cos: Float[Tensor, "seq head_dim//2"],
    sin: Float[Tensor, "seq head_dim//2"],
) -> Float[Tensor, "*batch seq head_dim"]:
    """Rotate the pairs ``(x[2i], x[2i+1])`` by the table's angles.

    ``y[2i] = x[2i]*cos[i] - x[2i+1]*sin[i]`` and ``y[2i+1] = x[2i+1]*cos[i] + x[2i]*sin[i]``,
    computed in the table's dtype and returned in that of ``x``.

    >>> cos, sin = torch.zeros(1, 2), torch.ones(1, 2)  # a quarter turn
    >>> rope_interleaved(torch.tensor([[1.0, 2.0, 3.0, 4.0]]), cos, sin)
    tensor([[-2.,  1., -4.,  3.]])
    """
    even, odd = x[..., 0::2], x[..., 1::2]
    rotated = torch.stack((even * cos - odd * sin, odd * cos + even * sin), dim=-1)
    return rotated.flatten(-2).to(x.dtype)


def rope_half_split(
    x: Float[Tensor, "*batch seq head_dim"],
    cos: Float[Tensor, "seq head_dim//2"],
    sin: Float[Tensor, "seq head_dim//2"],
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
