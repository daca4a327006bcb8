"""A decoder-only Transformer, built from the parts a :class:`Style` names."""

from dataclasses import dataclass, fields
from typing import Self

import torch
from jaxtyping import Float, Int
from torch import Tensor

from typedtorch import functional as TF
from typedtorch.nn import init
from typedtorch.nn.attention import Attention, KVCache, Rotation
from typedtorch.nn.containers import ModuleList
from typedtorch.nn.embedding import Embedding
from typedtorch.nn.linear import Linear
from typedtorch.nn.module import Module
from typedtorch.nn.norms import LayerNorm, RMSNorm
from typedtorch.nn.style import LLAMA, Learned, Rotary, Style


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """The sizes of a :class:`Transformer` and the style of its parts.

    Args:
        vocab: tokens.
        d_model: width of the residual stream.
        layers: blocks.
        heads: query heads of each block.
        kv_heads: key and value heads; as many as ``heads`` unless given.
        head_dim: width of a head, ``d_model // heads`` unless given.
        d_ff: width of the feed-forward layers; the style's own default unless given.
        max_seq: longest sequence; learned positions have as many rows.
        tie: use the embedding table as the unembedding.
        dropout: probability, on attention weights, on what each layer writes, and on the embedding.
        style: the parts.

    Raises:
        ValueError: a size is not at least 1, or ``dropout`` is not in [0, 1).
        TypeError: ``style`` is no :class:`Style`.

    >>> TransformerConfig(vocab=256, d_model=64, layers=2, heads=4, max_seq=128).width
    192
    """

    vocab: int
    d_model: int
    layers: int
    heads: int
    max_seq: int
    kv_heads: int | None = None
    head_dim: int | None = None
    d_ff: int | None = None
    tie: bool = True
    dropout: float = 0.0
    style: Style = LLAMA

    def __post_init__(self) -> None:
        for name in ("vocab", "d_model", "layers", "heads", "max_seq", "kv_heads", "head_dim", "d_ff"):
            size = getattr(self, name)
            if size is not None and size < 1:
                raise ValueError(f"Transformer: {name} must be at least 1, got {size}")
        if not 0.0 <= self.dropout < 1.0:
            raise ValueError(f"Transformer: dropout must be in [0, 1), got {self.dropout}")
        if not isinstance(self.style, Style):
            raise TypeError(f"Transformer: style is a Style, such as LLAMA or GPT2, got {self.style!r:.80}")
        head_dim, rest = divmod(self.d_model, self.heads) if self.head_dim is None else (self.head_dim, 0)
        if head_dim % 2 and not rest and isinstance(self.style.positions, Rotary):
            raise ValueError(
                "Transformer: rotary positions turn pairs, so the width of a head must be even, "
                f"got {head_dim} (d_model={self.d_model}, heads={self.heads})"
            )

    @property
    def width(self) -> int:
        """``d_ff``, the given one or the style's."""
        return self.style.mlp.default_width(self.d_model) if self.d_ff is None else self.d_ff


class TransformerBlock(Module, scope="instance"):
    """Attention, then a feed-forward layer, each on a normalised copy and added to the stream.

    >>> config = TransformerConfig(vocab=9, d_model=16, layers=1, heads=2, max_seq=8)
    >>> TransformerBlock(config)(torch.ones(1, 3, 16)).shape
    torch.Size([1, 3, 16])
    """

    def __init__(
        self,
        config: TransformerConfig,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        style = config.style
        self.d_model, self.dropout = config.d_model, config.dropout
        self.attention_norm = style.norm.build(config.d_model, device, dtype)
        self.attention = Attention(
            config.d_model,
            config.heads,
            kv_heads=config.kv_heads,
            head_dim=config.head_dim,
            bias=style.attention_bias,
            dropout=config.dropout,
            device=device,
            dtype=dtype,
        )
        self.mlp_norm = style.norm.build(config.d_model, device, dtype)
        self.mlp = style.mlp.build(config.d_model, config.width, device, dtype)

    def forward(
        self,
        x: Float[Tensor, "batch seq d_model"],
        rotation: Rotation | None = None,
        cache: KVCache | None = None,
    ) -> Float[Tensor, "batch seq d_model"]:
        p = self.dropout if self.training else 0.0
        x = x + TF.dropout(self.attention(self.attention_norm(x), rotation, cache), p=p)
        return x + TF.dropout(self.mlp(self.mlp_norm(x)), p=p)


class Transformer(Module, scope="instance"):
    """Tokens in, logits of each next token out.

    The arguments are those of :class:`TransformerConfig`; :meth:`from_config` takes one.

    >>> model = Transformer(vocab=256, d_model=64, layers=2, heads=4, kv_heads=2, max_seq=128)
    >>> model(torch.zeros(3, 10, dtype=torch.long)).shape
    torch.Size([3, 10, 256])
    """

    def __init__(
        self,
        *,
        vocab: int,
        d_model: int,
        layers: int,
        heads: int,
        max_seq: int,
        kv_heads: int | None = None,
        head_dim: int | None = None,
        d_ff: int | None = None,
        tie: bool = True,
        dropout: float = 0.0,
        style: Style = LLAMA,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        config = TransformerConfig(
            vocab=vocab,
            d_model=d_model,
            layers=layers,
            heads=heads,
            max_seq=max_seq,
            kv_heads=kv_heads,
            head_dim=head_dim,
            d_ff=d_ff,
            tie=tie,
            dropout=dropout,
            style=style,
        )
        self.config = config
        self.vocab, self.d_model = vocab, d_model
        self.embedding = Embedding(vocab, d_model, device=device, dtype=dtype)
        self.positions = (
            Embedding(max_seq, d_model, device=device, dtype=dtype)
            if isinstance(style.positions, Learned)
            else None
        )
        self.blocks = ModuleList(
            [TransformerBlock(config, device=device, dtype=dtype) for _ in range(layers)]
        )
        self.norm = style.norm.build(d_model, device, dtype)
        self.unembedding = None if tie else Linear(d_model, vocab, device=device, dtype=dtype)
        self.reset_parameters()

    @classmethod
    def from_config(
        cls,
        config: TransformerConfig,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> Self:
        """The model of a configuration."""
        values = {field.name: getattr(config, field.name) for field in fields(config)}
        return cls(**values, device=device, dtype=dtype)

    def reset_parameters(self, *, generator: torch.Generator | None = None) -> None:
        """Draw all weights again, those that write to the residual stream with GPT-2's smaller deviation."""
        gain = init.residual_gain(self.config.layers)
        for module in self.modules():
            if isinstance(module, Linear | Embedding):
                module.reset_parameters(generator=generator)
            elif isinstance(module, RMSNorm | LayerNorm):
                module.reset_parameters()
        for block in self.blocks:
            block.attention.out.reset_parameters(gain=gain, generator=generator)
            block.mlp.down.reset_parameters(gain=gain, generator=generator)

    @property
    def unembedding_weight(self) -> Float[Tensor, "vocab d_model"]:
        """The (out, in) matrix that turns :meth:`hidden` into logits: the embedding table, if tied."""
        return self.embedding.weight if self.unembedding is None else self.unembedding.weight

    def forward(self, tokens: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq vocab"]:
        return TF.linear(self.hidden(tokens), self.unembedding_weight)

    def hidden(
        self, tokens: Int[Tensor, "batch seq"], caches: list[KVCache] | None = None
    ) -> Float[Tensor, "batch seq d_model"]:
        """What the unembedding reads: the residual stream after the last norm.

        Args:
            tokens: the sequence, or with ``caches`` its continuation.
            caches: one per block, from :meth:`new_caches`.

        Raises:
            ValueError: more positions than the table of learned ones, or a cache, has.
        """
        start = len(caches[0]) if caches else 0
        end = start + tokens.shape[1]
        places = torch.arange(start, end, device=tokens.device)
        x = self.embedding(tokens)
        if self.positions is not None:
            # a compiled graph asks nothing of the size, so that it serves all of them
            if not torch.compiler.is_compiling() and end > self.config.max_seq:
                raise ValueError(f"Transformer: {end} positions, but max_seq is {self.config.max_seq}")
            x = x + self.positions(places)
        x = TF.dropout(x, p=self.config.dropout if self.training else 0.0)
        rotation = self._rotation(places)
        for i, block in enumerate(self.blocks):
            x = block(x, rotation, caches[i] if caches else None)
        return self.norm(x)

    def _rotation(self, places: Int[Tensor, "seq"]) -> Rotation | None:
        rotary = self.config.style.positions
        if not isinstance(rotary, Rotary):
            return None
        # made anew each time: a buffer would lose digits in half precision and its values on the meta device
        head_dim = self.blocks[0].attention.head_dim
        cos, sin = TF.rope_table(places, head_dim, theta=rotary.theta, stretch=rotary.stretch)
        return Rotation(cos, sin, rotary.pairs)

    def new_caches(self) -> list[KVCache]:
        """Empty caches for decoding, one per block."""
        return [KVCache(max_seq=self.config.max_seq) for _ in self.blocks]
