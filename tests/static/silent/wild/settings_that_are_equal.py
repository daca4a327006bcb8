from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Asserted(nn.Module):
    def __init__(self, args):
        super().__init__()
        assert args.encoder_dim == args.decoder_dim
        self.encoder = nn.Linear(8, args.encoder_dim)
        self.decoder = nn.Linear(args.decoder_dim, 8)

    def forward(self, x: Float[Tensor, "b t 8"]) -> Float[Tensor, "b t 8"]:
        return self.decoder(self.encoder(x))


class Refused(nn.Module):
    def __init__(self, args):
        super().__init__()
        if args.encoder_dim != args.decoder_dim:
            raise ValueError("encoder and decoder have one width")
        self.encoder = nn.Linear(8, args.encoder_dim)
        self.decoder = nn.Linear(args.decoder_dim, 8)

    def forward(self, x: Float[Tensor, "b t 8"]) -> Float[Tensor, "b t 8"]:
        return self.decoder(self.encoder(x))


class Projected(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed = nn.Embedding(config.vocab, config.embed_dim)
        self.position = nn.Embedding(16, config.width)
        if config.embed_dim != config.width:
            self.project = nn.Linear(config.embed_dim, config.width)
        else:
            self.project = None
        self.body = nn.Linear(config.width, config.width)

    def forward(self, ids: Int[Tensor, "b t"]) -> Float[Tensor, "b t d"]:
        x = self.embed(ids)
        if self.project is not None:
            x = self.project(x)
        return self.body(x + self.position(torch.arange(ids.shape[1])))


@dataclass
class InnerConfig:
    width: int = 4
    factor: int = 2


@dataclass
class OuterConfig:
    width: int = 4
    inner: InnerConfig = field(default_factory=InnerConfig)


class Inner(nn.Module):
    def __init__(self, config: InnerConfig) -> None:
        super().__init__()
        self.up = nn.Linear(config.width, config.width * config.factor)
        self.down = nn.Linear(config.width * config.factor, config.width)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.up(x).relu())


class Outer(nn.Module):
    """What the parts of a configuration have in common is for who writes it."""

    def __init__(self, config: OuterConfig) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(config.width)
        self.inner = Inner(config.inner)

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        return x + self.inner(self.norm(x))


class Options:
    def __init__(self, **given: Any) -> None:
        self.__dict__.update(given)


def run() -> None:
    options = Options(encoder_dim=4, decoder_dim=4, vocab=10, embed_dim=4, width=4)
    for net in (Asserted(options), Refused(options)):
        net(torch.zeros(2, 3, 8))
    Outer(OuterConfig())(torch.zeros(2, 4))
    Outer(OuterConfig(6, InnerConfig(6, 3)))(torch.zeros(2, 6))
    Projected(options)(torch.zeros(2, 3, dtype=torch.long))
    Projected(Options(vocab=10, embed_dim=4, width=6))(torch.zeros(2, 3, dtype=torch.long))


# run: run()
