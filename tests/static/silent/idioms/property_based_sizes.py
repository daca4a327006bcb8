"""Sizes that live in properties, enums, class constants and nested configurations."""

from dataclasses import asdict, dataclass, field, replace
from enum import Enum, IntEnum
from functools import cached_property
from math import ceil, prod
from typing import ClassVar, Final

import torch
from jaxtyping import Float
from torch import Tensor, nn

MULTIPLE: Final[int] = 8


class Stage(IntEnum):
    STEM = 6
    BODY = 12
    HEAD = 24


class Norm(Enum):
    LAYER = "layer"
    RMS = "rms"

    def build(self, dim: int) -> nn.Module:
        return {Norm.LAYER: nn.LayerNorm, Norm.RMS: nn.RMSNorm}[self](dim)


@dataclass(frozen=True)
class AttentionConfig:
    heads: int = 4
    head_dim: int = 6

    @property
    def inner(self) -> int:
        return self.heads * self.head_dim


@dataclass(frozen=True)
class Config:
    dim: int = 20
    ratio: float = 8 / 3
    norm: Norm = Norm.RMS
    attention: AttentionConfig = field(default_factory=AttentionConfig)
    patch: tuple[int, int] = (2, 3)

    @cached_property
    def hidden(self) -> int:
        return MULTIPLE * ceil(self.dim * self.ratio / MULTIPLE)

    @property
    def patch_dim(self) -> int:
        return 3 * prod(self.patch)


class Block(nn.Module):
    eps: ClassVar[float] = 1e-6

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.norm = config.norm.build(config.dim)
        self.q = nn.Linear(config.dim, config.attention.inner)
        self.kv = nn.Linear(config.dim, 2 * config.attention.inner)
        self.out = nn.Linear(config.attention.inner, config.dim)
        self.up = nn.Linear(config.dim, config.hidden)
        self.down = nn.Linear(config.hidden, config.dim)

    @property
    def heads(self) -> int:
        return self.config.attention.heads

    def forward(self, x: Float[Tensor, "b s dim"]) -> Float[Tensor, "b s dim"]:
        h = self.norm(x)
        q = self.q(h).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.kv(h).chunk(2, dim=-1))
        y = nn.functional.scaled_dot_product_attention(q, k, v)
        x = x + self.out(y.transpose(1, 2).flatten(-2))
        return x + self.down(self.up(x).relu())


class Net(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.patchify = nn.Conv2d(3, config.dim, config.patch, stride=config.patch)
        self.block = Block(replace(config, norm=Norm.LAYER))
        self.to_pixels = nn.Linear(config.dim, config.patch_dim)
        self.stem = nn.Linear(Stage.STEM, Stage.BODY)
        self.head = nn.Linear(Stage.BODY, Stage.HEAD.value)

    def forward(self, x: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b n p"]:
        x = self.patchify(x)
        x = x.flatten(2).mT
        return self.to_pixels(self.block(x))

    def aux(self, x: Float[Tensor, "b 6"]) -> Float[Tensor, "b 24"]:
        return self.head(self.stem(x))

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    @property
    def num_parameters(self) -> int:
        return sum(p.numel() for p in self.parameters())


# run: n = Net(Config()); n(randn(2, 3, 6, 9)); n.aux(randn(2, 6)); n.device; n.num_parameters; asdict(Config())
