from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from enum import Enum


class Pool(str, Enum):
    MEAN = "mean"
    MAX = "max"
    CLS = "cls"


@dataclass(frozen=True)
class BlockConfig:
    dim: int
    heads: int = 4
    mlp_ratio: float = 4.0
    norm: str = "layer"


@dataclass(frozen=True)
class ModelConfig:
    block: BlockConfig
    depth: int = 3
    vocab: int = 101
    max_len: int = 24
    pool: Pool = Pool.MEAN
    n_labels: int = 6

    def __post_init__(self):
        if self.block.dim % self.block.heads:
            raise ValueError("heads must divide dim")


PRESETS = {
    "tiny": ModelConfig(BlockConfig(dim=32)),
    "small": ModelConfig(BlockConfig(dim=64, heads=8), depth=4),
}


def load(name: str, **overrides) -> ModelConfig:
    return replace(PRESETS[name], **overrides)
