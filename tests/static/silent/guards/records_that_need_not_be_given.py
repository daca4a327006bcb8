from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn


@dataclass
class Extra:
    tokens: Float[Tensor, "batch extra dim"]
    mask: Bool[Tensor, "batch extra"]


class Skip(NamedTuple):
    x: Float[Tensor, "batch channels length"]


class Up(nn.Module):
    def __init__(self, channels: int, with_skip: bool) -> None:
        super().__init__()
        self.conv = nn.Conv1d(2 * channels if with_skip else channels, channels, 3, padding=1)

    def forward(
        self, x: Float[Tensor, "batch channels length"], skip: Skip | None = None
    ) -> Float[Tensor, "batch channels length"]:
        if skip is not None:
            x = torch.cat([x, skip.x], dim=1)
        x = self.conv(x)
        x = torch.relu(x)
        scale = x.std()
        x = x / (scale + 1)
        x = x - x.mean()
        return x


class Joined(nn.Module):
    def __init__(self, width: int, total: int) -> None:
        super().__init__()
        self.out = nn.Linear(total, width)

    def forward(
        self, x: Float[Tensor, "batch width"], more: tuple[Float[Tensor, "batch k"], Float[Tensor, "batch m"]] | None
    ) -> Float[Tensor, "batch width"]:
        if more is not None:
            x = torch.cat([x, *more], dim=-1)
        x = self.out(x)
        x = torch.tanh(x)
        return x


def encode(
    x: Float[Tensor, "batch seq dim"], mask: Bool[Tensor, "batch seq"], extra: Extra | None = None
) -> Float[Tensor, "batch dim"]:
    if extra is not None:
        x = torch.cat([x, extra.tokens], dim=1)
        mask = torch.cat([mask, extra.mask], dim=1)
    scores = x.sum(-1)
    scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    pooled = torch.einsum("bs,bsd->bd", weights, x)
    return pooled


# run: encode(torch.randn(2, 3, 4), torch.ones(2, 3).bool())
# run: encode(torch.randn(2, 3, 4), torch.ones(2, 3).bool(), Extra(torch.randn(2, 2, 4), torch.ones(2, 2).bool()))
# run: Up(4, True)(torch.randn(2, 4, 5), Skip(torch.randn(2, 4, 5)))
# run: Up(4, False)(torch.randn(2, 4, 5))
# run: Joined(3, 3)(torch.randn(2, 3), None)
# run: Joined(3, 8)(torch.randn(2, 3), (torch.randn(2, 2), torch.randn(2, 3)))
