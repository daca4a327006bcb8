"""Typed modules over :mod:`typedtorch.functional`.

A constructor's integers are named as the axes in ``forward``'s annotations, and tied to them.
Every layer takes ``device=`` and ``dtype=`` and works on the meta device.
"""

from typedtorch.nn import init, lecture
from typedtorch.nn.attention import Attention, KVCache, Rotation
from typedtorch.nn.containers import ModuleDict, ModuleList, Sequential
from typedtorch.nn.embedding import Embedding
from typedtorch.nn.generate import choose, sample
from typedtorch.nn.lecture import Cruncher
from typedtorch.nn.linear import Linear
from typedtorch.nn.mlp import MLP, SwiGLU
from typedtorch.nn.module import Module
from typedtorch.nn.norms import LayerNorm, RMSNorm
from typedtorch.nn.resize import resize_vocab
from typedtorch.nn.style import GPT2, LLAMA, RMS, Centred, Gated, Learned, Plain, Rotary, Style
from typedtorch.nn.transformer import Transformer, TransformerBlock, TransformerConfig

__all__ = [
    "GPT2",
    "LLAMA",
    "MLP",
    "RMS",
    "Attention",
    "Centred",
    "Cruncher",
    "Embedding",
    "Gated",
    "KVCache",
    "LayerNorm",
    "Learned",
    "Linear",
    "Module",
    "ModuleDict",
    "ModuleList",
    "Plain",
    "RMSNorm",
    "Rotary",
    "Rotation",
    "Sequential",
    "Style",
    "SwiGLU",
    "Transformer",
    "TransformerBlock",
    "TransformerConfig",
    "choose",
    "init",
    "lecture",
    "resize_vocab",
    "sample",
]
