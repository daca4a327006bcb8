"""Pure functions on tensors; every signature names its axes.

One family per file, each the plain mathematics over torch's own kernels.  The letters are the
same everywhere: ``batch seq d_model heads kv_heads head_dim vocab d_ff``.
"""

from typedtorch.functional.activations import gelu, gelu_tanh, silu, softmax
from typedtorch.functional.attention import attention, causal_attention, naive_attention, suffix_attention
from typedtorch.functional.dropout import dropout
from typedtorch.functional.embedding import embedding
from typedtorch.functional.linear import linear
from typedtorch.functional.mlp import swiglu
from typedtorch.functional.norms import layer_norm, rms_norm
from typedtorch.functional.rope import RopeStretch, rope_half_split, rope_interleaved, rope_table

__all__ = [
    "RopeStretch",
    "attention",
    "causal_attention",
    "dropout",
    "embedding",
    "gelu",
    "gelu_tanh",
    "layer_norm",
    "linear",
    "naive_attention",
    "rms_norm",
    "rope_half_split",
    "rope_interleaved",
    "rope_table",
    "silu",
    "softmax",
    "suffix_attention",
    "swiglu",
]
