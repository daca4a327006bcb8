"""Causal self-attention with grouped queries, rotary positions and a cache for decoding."""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from typedtorch import functional as TF
from typedtorch.nn.linear import Linear
from typedtorch.nn.module import Module

Pairs = Literal["interleaved", "half-split"]


@dataclass(frozen=True)
class Rotation:
    """The rotary table of a sequence of positions, and which features it pairs.

    A table of three axes has positions of their own for each sequence of the batch.
    """

    cos: Float[Tensor, "seq half"] | Float[Tensor, "#batch seq half"]
    sin: Float[Tensor, "seq half"] | Float[Tensor, "#batch seq half"]
    pairs: Pairs = "half-split"

    def __call__(
        self, x: Float[Tensor, "batch heads seq head_dim"]
    ) -> Float[Tensor, "batch heads seq head_dim"]:
        rotate = TF.rope_half_split if self.pairs == "half-split" else TF.rope_interleaved
        if self.cos.ndim == 2:
            return rotate(x, self.cos, self.sin)
        return rotate(x, self.cos[:, None], self.sin[:, None])  # the same for all heads


class KVCache:
    """Keys and values of the positions one layer has seen, in storage for ``max_seq`` of them.

    >>> cache = KVCache(max_seq=4)
    >>> k, v = cache.append(torch.ones(1, 2, 3, 8), torch.zeros(1, 2, 3, 8))
    >>> k.shape, len(cache)
    (torch.Size([1, 2, 3, 8]), 3)
    """

    def __init__(self, *, max_seq: int) -> None:
        self.max_seq = max_seq
        self._length = 0
        self._keys: Float[Tensor, "batch kv_heads max_seq head_dim"] | None = None
        self._values: Float[Tensor, "batch kv_heads max_seq head_dim"] | None = None

    def __len__(self) -> int:
        return self._length

    def append(
        self,
        k: Float[Tensor, "batch kv_heads seq head_dim"],
        v: Float[Tensor, "batch kv_heads seq head_dim"],
    ) -> tuple[
        Float[Tensor, "batch kv_heads k_seq head_dim"], Float[Tensor, "batch kv_heads k_seq head_dim"]
    ]:
        """Add positions and return all of them.

        Raises:
            ValueError: more than ``max_seq`` positions.
        """
        start, end = self._length, self._length + k.shape[-2]
        if end > self.max_seq:
            raise ValueError(f"KVCache: {end} positions do not fit in {self.max_seq}")
        if self._keys is None or self._values is None:
            self._keys = k.new_empty(*k.shape[:-2], self.max_seq, k.shape[-1])
            self._values = torch.empty_like(self._keys)
        self._keys[..., start:end, :], self._values[..., start:end, :] = k, v
        self._length = end
        return self._keys[..., :end, :], self._values[..., :end, :]


class Attention(Module, scope="instance"):
    """Causal multi-head attention: ``out(attend(q(x), k(x), v(x)))``.

    Args:
        d_model: width of what comes in and goes out.
        heads: query heads.
        kv_heads: key and value heads, a divisor of ``heads``; as many as ``heads`` unless given.
        head_dim: width of a head, ``d_model // heads`` unless given.
        bias: whether the four linear maps have one.
        dropout: probability of dropping an attention weight while training.

    ``2 * d_model * (heads + kv_heads) * head_dim`` parameters.

    Raises:
        ValueError: there is no head, ``heads`` does not divide ``d_model`` and no ``head_dim`` is given,
            ``kv_heads`` does not divide ``heads``, or ``dropout`` is not in [0, 1].

    >>> Attention(16, 4, kv_heads=2)(torch.ones(1, 3, 16)).shape
    torch.Size([1, 3, 16])
    """

    def __init__(
        self,
        d_model: int,
        heads: int,
        *,
        kv_heads: int | None = None,
        head_dim: int | None = None,
        bias: bool = False,
        dropout: float = 0.0,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if heads < 1 or (kv_heads is not None and kv_heads < 1):
            raise ValueError(f"Attention: wanted at least 1 head, got heads={heads}, kv_heads={kv_heads}")
        if head_dim is None and d_model % heads:
            raise ValueError(f"Attention: {heads} heads do not divide d_model {d_model}; give head_dim")
        self.d_model, self.heads = d_model, heads
        self.kv_heads = heads if kv_heads is None else kv_heads
        self.head_dim = d_model // heads if head_dim is None else head_dim
        if heads % self.kv_heads:
            raise ValueError(f"Attention: {self.kv_heads} kv_heads do not divide {heads} heads")
        if not 0.0 <= dropout <= 1.0:
            raise ValueError(f"Attention: dropout is a probability in [0, 1], got {dropout}")
        self.dropout = dropout
        wide, narrow = self.heads * self.head_dim, self.kv_heads * self.head_dim
        self.q = Linear(d_model, wide, bias=bias, device=device, dtype=dtype)
        self.k = Linear(d_model, narrow, bias=bias, device=device, dtype=dtype)
        self.v = Linear(d_model, narrow, bias=bias, device=device, dtype=dtype)
        self.out = Linear(wide, d_model, bias=bias, device=device, dtype=dtype)

    def forward(
        self,
        x: Float[Tensor, "batch seq d_model"],
        rotation: Rotation | None = None,
        cache: KVCache | None = None,
    ) -> Float[Tensor, "batch seq d_model"]:
        q = self._split(self.q(x), self.heads)
        k = self._split(self.k(x), self.kv_heads)
        v = self._split(self.v(x), self.kv_heads)
        if rotation is not None:
            q, k = rotation(q), rotation(k)
        if cache is None:
            mixed = TF.causal_attention(q, k, v, dropout=self.dropout if self.training else 0.0)
        else:
            mixed = TF.suffix_attention(q, *cache.append(k, v))
        return self.out(mixed.transpose(1, 2).flatten(2))

    def _split(
        self, x: Float[Tensor, "batch seq features"], heads: int
    ) -> Float[Tensor, "batch heads seq head_dim"]:
        return x.view(x.shape[0], x.shape[1], heads, self.head_dim).transpose(1, 2)

    def extra_repr(self) -> str:
        return (
            f"heads={self.heads}, kv_heads={self.kv_heads}, head_dim={self.head_dim}, dropout={self.dropout}"
        )
