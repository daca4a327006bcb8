"""A package's own annotation class under jaxtyping's names, and base classes that subclasses override."""

from typing import Optional, Union

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class TorchTyping:
    def __init__(self, wrapper) -> None:
        self.wrapper = wrapper

    def __getitem__(self, shape: str):
        return self.wrapper[Tensor, shape]


Float = TorchTyping(Float)  # type: ignore[misc,assignment]
Int = TorchTyping(Int)  # type: ignore[misc,assignment]
Bool = TorchTyping(Bool)  # type: ignore[misc,assignment]


def split(ids: Int["n"], chosen: Int["p"]) -> Bool["n n"]:
    first = torch.isin(ids, chosen[: len(chosen) // 2])
    return first.unsqueeze(1) & first.unsqueeze(0)


class Aggregator:
    def aggregate(self, results: Tensor, mask: Optional[Tensor]) -> Tensor:
        return results.squeeze(0)

    def __call__(self, results: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        return self.aggregate(results, mask)


class Mean(Aggregator):
    def aggregate(self, results: Tensor, mask: Optional[Tensor]) -> Tensor:
        return results.mean(dim=0)


class Explainer:
    def __init__(self, aggregator: Optional[Aggregator] = None) -> None:
        self.aggregator = aggregator or Aggregator()

    def explain(self, scores: Float["p t"]) -> Float["t"]:
        return self.aggregator(scores)

    def explain_with(self, scores: Float["p t"], aggregator: Aggregator) -> Float["t"]:
        return aggregator(scores)


class UNet(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, 3, padding=1)

    def forward(self, x: Float["batch in_channels h w"]) -> Float["batch out_channels h w"]:
        return self.conv(x)


class Branch(nn.Module):
    """Says ``channels`` for what its constructor calls ``in_channels``."""

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.unet = UNet(in_channels, out_channels)

    def forward(self, x: Float["batch channels h w"]) -> Float["batch out_channels h w"]:
        return self.unet(x)


class Tokens(nn.Module):
    """Means its ``sensor`` width where its annotations say ``embed``."""

    def __init__(self, sensor: int = 32, embed: int = 4, out: int = 3) -> None:
        super().__init__()
        self.tokenizer = nn.Linear(embed, sensor)
        self.last = nn.Linear(sensor, out)

    def aggregate(self, x: Float["n embed"]) -> Float["n out"]:
        return self.last(x)

    def forward(self, observed: Float["n f"]) -> Float["n out"]:
        return self.aggregate(self.tokenizer(observed))


class Attention(nn.Module):
    def forward(
        self, x: Float["b v s d"], mask: Optional[Union[Bool["b v s s"], Bool["b s v v"]]] = None
    ) -> Float["b v s d"]:
        return x


class Block(nn.Module):
    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        self.norm, self.attention = norm, Attention()

    def forward(
        self, x: Float["b v s d"], mask: Optional[Union[Bool["b s v v"], Bool["b v s s"]]] = None
    ) -> Float["b v s d"]:
        return x + self.attention(self.norm(x), mask)


def rounded(x: Float["n l"], found) -> Float["n"]:
    part: Float["n d"] = found(x)
    return part.squeeze(-1)


def use(x: Float["2 6 8 8"]) -> None:
    ids = torch.randint(0, 4, (7,))
    split(ids, torch.unique(ids))
    Explainer(Mean()).explain(torch.randn(5, 3))
    Explainer().explain_with(torch.randn(5, 3), Mean())
    Branch(6, 4)(x)
    Tokens(embed=5)(torch.randn(7, 5))
    Block(nn.Identity())(torch.randn(2, 3, 5, 4), torch.ones(2, 5, 3, 3, dtype=torch.bool))
    rounded(torch.randn(4, 6), lambda t: t[:, :1])


# run: use(randn(2, 6, 8, 8))
