"""What arrays, lists and dicts hold once other code has had its hands on them."""

from typing import Optional

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


def reverse(x: Float[np.ndarray, "n c"]) -> Float[np.ndarray, "n c"]:
    x = x[::-1].copy()
    x[1:3] = x[1:3][::-1]
    return x[:, ::-1]


def padded(past: list[Float[np.ndarray, "_ c"]], context: int) -> dict:
    entry: dict = {"past": past, "extra": None}
    entry["seen"] = [~np.isnan(x) for x in past]
    for key, value in entry.items():
        if value is not None:
            entry[key] = [np.asarray(sample) for sample in value]
    entry["is_pad"] = np.zeros((len(entry["past"]), context), dtype=bool)
    for key in list(entry):
        if isinstance(entry[key], list):
            for i in range(len(entry[key])):
                if entry[key][i].shape[0] > context:
                    entry[key][i] = entry[key][i][-context:, :]
    return entry


def coordinates(given: dict) -> float:
    found = {"time": np.empty(0), "lead": np.empty(0), "level": np.empty((0, 2))}
    for key, value in given.items():
        if key in found:
            found[key] = value
    return float(found["lead"][-1])


def groups(ids, chosen) -> Tensor:
    first = torch.isin(ids, chosen[: len(chosen) // 2])
    second = torch.isin(ids, chosen[len(chosen) // 2 :])
    return first.unsqueeze(1) & second.unsqueeze(0)


def scale(y: Float[Tensor, "n 3"], hat: Float[Tensor, "n 3"]) -> Float[Tensor, ""]:
    length = y.shape[0]
    unit = 1.24 * np.power(length + 15, 1 / 3) - 1.8
    return torch.sum(1 / (1 + (torch.pairwise_distance(hat, y) / unit) ** 2)) / length


class Skip(nn.Module):
    """Writes what it sees into the list it was given."""

    def __init__(self, index: int, heads: list[Tensor]) -> None:
        super().__init__()
        self.index, self.heads = index, heads

    def forward(self, x: Tensor) -> Tensor:
        self.heads[self.index] = x
        return x


class Pyramid(nn.Module):
    def __init__(self, levels: int) -> None:
        super().__init__()
        self.heads = [torch.rand(1)] * levels
        self.skips = nn.ModuleList(Skip(i, self.heads) for i in range(levels))

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "levels b c h w"]:
        for skip in self.skips:
            x = skip(x)
        return torch.stack([F.interpolate(head, x.shape[2:]) for head in self.heads])


def tiles(x: Tensor) -> Tensor:
    batch, channels, height = x.shape
    out = x.new_empty((4, channels, height))
    for i in range(4):
        out[i] = x
    single = torch.zeros(3)
    single[0] = torch.ones(batch)
    return out


def attend(x: Tensor, mask: Optional[Tensor] = None) -> Tensor:
    batch, seq, width = x.shape
    x = x.unsqueeze(1)
    mask = torch.full((seq, seq), 0.0).unsqueeze(0).expand(batch, -1, -1)
    return F.scaled_dot_product_attention(x, x, x, attn_mask=mask).squeeze(1)


def steps(x: torch.FloatTensor, timestep: torch.LongTensor) -> torch.FloatTensor:
    return x * timestep + torch.ones(3, dtype=torch.float64)  # type: ignore[return-value]


def use(ids: Int[Tensor, "7"]) -> None:
    reverse(np.ones((5, 3), dtype=np.float32))
    padded([np.ones((6, 2)), np.ones((3, 2))], 4)
    groups(ids, torch.unique(ids))
    coordinates({"lead": np.arange(3), "other": 1})
    scale(torch.randn(9, 3), torch.randn(9, 3))
    Pyramid(2)(torch.randn(2, 3, 4, 4))
    tiles(torch.randn(1, 3, 4))
    attend(torch.randn(1, 5, 8))


# run: use(randint(0, 4, (7,)))
