"""Well-known shapes by name, built on the meta device: no weights, no downloads.

>>> build("gpt2") is not None, "llama-3-8b" in NAMES
(True, True)
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from typedtorch.accounting.errors import AccountingError
from typedtorch.accounting.presets.language import GPT2, Llama
from typedtorch.accounting.presets.vision import ResNet50, ViT

_MAKE: dict[str, Callable[[], nn.Module]] = {
    # Radford et al. 2019; the published checkpoints
    "gpt2": lambda: GPT2(layers=12, heads=12),
    "gpt2-medium": lambda: GPT2(layers=24, heads=16),
    "gpt2-large": lambda: GPT2(layers=36, heads=20),
    "gpt2-xl": lambda: GPT2(layers=48, heads=25),
    # Llama Team 2024, table 3
    "llama-3-8b": lambda: Llama(layers=32, d_model=4096, d_ff=14336, heads=32),
    "llama-3-70b": lambda: Llama(layers=80, d_model=8192, d_ff=28672, heads=64),
    "llama-3-405b": lambda: Llama(layers=126, d_model=16384, d_ff=53248, heads=128),
    # Touvron et al. 2023
    "llama-2-7b": lambda: Llama(layers=32, d_model=4096, d_ff=11008, heads=32, kv_heads=32, vocab=32000),
    "llama-2-13b": lambda: Llama(layers=40, d_model=5120, d_ff=13824, heads=40, kv_heads=40, vocab=32000),
    "llama-2-70b": lambda: Llama(layers=80, d_model=8192, d_ff=28672, heads=64, vocab=32000),
    # Touvron et al. 2023, the first Llama; its 7B and 13B are those of the second
    "llama-30b": lambda: Llama(layers=60, d_model=6656, d_ff=17920, heads=52, kv_heads=52, vocab=32000),
    "llama-65b": lambda: Llama(layers=80, d_model=8192, d_ff=22016, heads=64, kv_heads=64, vocab=32000),
    # published checkpoints of the same family of architectures
    "llama-3.2-1b": lambda: Llama(layers=16, d_model=2048, d_ff=8192, heads=32, tied=True),
    "llama-3.2-3b": lambda: Llama(layers=28, d_model=3072, d_ff=8192, heads=24, tied=True),
    "mistral-7b": lambda: Llama(layers=32, d_model=4096, d_ff=14336, heads=32, vocab=32000),
    "tinyllama-1.1b": lambda: Llama(layers=22, d_model=2048, d_ff=5632, heads=32, kv_heads=4, vocab=32000),
    "qwen-2.5-0.5b": lambda: Llama(
        layers=24, d_model=896, d_ff=4864, heads=14, kv_heads=2, vocab=151936, tied=True, bias=True
    ),
    "qwen-2.5-7b": lambda: Llama(
        layers=28, d_model=3584, d_ff=18944, heads=28, kv_heads=4, vocab=152064, bias=True
    ),
    "gemma-2b": lambda: Llama(
        layers=18, d_model=2048, d_ff=16384, heads=8, kv_heads=1, vocab=256000, head_dim=256, tied=True
    ),
    "gemma-7b": lambda: Llama(
        layers=28, d_model=3072, d_ff=24576, heads=16, kv_heads=16, vocab=256000, head_dim=256, tied=True
    ),
    # Dosovitskiy et al. 2021, table 1
    "vit-b-16": lambda: ViT(layers=12, d_model=768, heads=12, patch=16),
    "vit-l-16": lambda: ViT(layers=24, d_model=1024, heads=16, patch=16),
    # He et al. 2016
    "resnet-50": ResNet50,
}
NAMES = tuple(_MAKE)


def build(name: str) -> nn.Module:
    """A preset on the meta device.

    Raises:
        AccountingError: no preset of that name.
    """
    if name not in _MAKE:
        raise AccountingError(f"no preset {name!r}; there are {', '.join(NAMES)}")
    with torch.device("meta"):
        return _MAKE[name]()
