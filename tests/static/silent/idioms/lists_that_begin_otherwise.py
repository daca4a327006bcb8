"""Lists whose first items are unlike those behind them: joined, cut, turned round, filled on one way only."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


def encode(x: Float[Tensor, "*points d"], octaves: int) -> Float[Tensor, "*points features"]:
    parts = [x]
    for i in range(octaves):
        for wave in (torch.sin, torch.cos):
            parts.append(wave(x * 2**i))
    return torch.cat(parts, dim=-1)


class Dense(nn.Module):
    def __init__(self, width: int, growth: int, depth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width + i * growth, growth) for i in range(depth))
        self.head = nn.Linear(width + depth * growth, width)

    def forward(self, x: Float[Tensor, "b width"]) -> Float[Tensor, "b width"]:
        features = [x]
        for layer in self.layers:
            features.append(F.relu(layer(torch.cat(features, dim=-1))))
        return self.head(torch.cat(features, dim=-1))


def generate(
    logits: Float[Tensor, "b seq vocab"], prompt: Int[Tensor, "b seq"], steps: int, end: int
) -> Int[Tensor, "b total"]:
    pieces = [prompt]
    for _ in range(steps):
        token = logits[:, -1].argmax(dim=-1, keepdim=True)
        pieces.append(token)
        if (token == end).all():
            break
    return torch.cat(pieces, dim=1)


def exactly(prompt: Int[Tensor, "b seq"], steps: int) -> Int[Tensor, "b seq+{steps}"]:
    pieces = [prompt]
    for _ in range(steps):
        pieces.append(pieces[-1][:, -1:] + 1)
    assert pieces[0].shape == prompt.shape
    new = torch.cat(pieces[1:], dim=1)
    return torch.cat([prompt, new], dim=1)


def one_way_only(x: Float[Tensor, "b d"], pooled: bool) -> Float[Tensor, "..."]:
    parts = [x]
    if pooled:
        parts.append(x.sum(1))
    if not pooled:
        return torch.cat(parts, dim=1)
    return parts[-1] + parts[0].sum(1)


def spread(x: Float[Tensor, "b d"], others: list[Float[Tensor, "b e"]]) -> Float[Tensor, "b all"]:
    joined = torch.cat([x, *others], dim=1)
    also = torch.cat([x] + [other[:, :1] for other in others], dim=1)
    parts = [x]
    parts.extend(other.mean(1, keepdim=True) for other in others)
    assert torch.cat(parts, dim=1).shape == also.shape
    return joined


def turned_round(x: Float[Tensor, "t d"], n: int) -> Float[Tensor, "d"]:
    parts = [x]
    for _ in range(n):
        parts.append(x.mean(0))
    parts.reverse()
    first, last = parts[0], parts[-1]
    assert last.ndim == 2
    return first


def without_the_first(x: Float[Tensor, "t d"], n: int) -> Float[Tensor, "n d"]:
    parts = [x]
    for _ in range(n):
        parts.append(x.mean(0))
    parts.pop(0)
    return torch.stack(parts)


def replaced(x: Float[Tensor, "t d"], n: int) -> Float[Tensor, "_ d"]:
    parts = [x]
    for _ in range(n):
        parts.append(x.mean(0))
    parts[0] = x.mean(0)
    return torch.stack(parts)


def changed_in_place(x: Float[Tensor, "d"], n: int) -> Float[Tensor, "rows d"]:
    first = x.clone()
    parts = [first]
    for _ in range(n):
        parts.append(x[None])
    first.unsqueeze_(0)
    return torch.cat(parts)


def widths_of_any_kind(x: Float[Tensor, "b d"], kernels: list[int]) -> Float[Tensor, "b channels d"]:
    outs = [x[:, None]]
    for k in kernels:
        outs.append(x[:, None].expand(-1, k, -1))
    second = outs[1]
    assert second.shape[0] == x.shape[0]
    return torch.cat(outs, dim=1)


def until_small(x: Float[Tensor, "b d"]) -> Float[Tensor, "b columns"]:
    columns = [x]
    while columns[-1].abs().max() > 0.1:
        columns.append(columns[-1][:, :1] / 2)
    return torch.cat(columns, dim=1)


# run: encode(randn(4, 3), 2), encode(randn(4, 2, 3), 1), encode(randn(3), 3)
# run: Dense(4, 2, 3)(randn(5, 4)), generate(randn(2, 3, 7), torch.ones(2, 3, dtype=torch.long), 4, 2)
# run: exactly(torch.ones(2, 3, dtype=torch.long), 4)
# run: one_way_only(randn(2, 3), True), one_way_only(randn(2, 3), False)
# run: spread(randn(2, 3), [randn(2, 5), randn(2, 5)]), turned_round(randn(4, 3), 2)
# run: without_the_first(randn(4, 3), 2), replaced(randn(4, 3), 2), changed_in_place(randn(3), 2)
# run: widths_of_any_kind(randn(2, 3), [1, 4]), until_small(randn(2, 3))
