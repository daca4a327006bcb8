"""Numbers made while running that are an axis, or that are made again in each turn."""
from __future__ import annotations

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


def masked(x: Float[Tensor, "b t d"], lengths: Int[Tensor, "b"]) -> Float[Tensor, "b t d"]:
    longest = int(lengths.max())  # which the padding goes up to
    mask = torch.arange(longest)[None, :] < lengths[:, None]
    return x * mask[..., None]


def scores(x: Float[Tensor, "b t d"], lengths: Int[Tensor, "b"]) -> Float[Tensor, "b t t"]:
    longest = int(lengths.max())
    where = torch.zeros(longest, x.shape[2])
    causal = torch.ones(longest, longest).tril()
    both = (x + where) @ x.mT * causal
    pairs = (x @ where.T) * causal
    return both + pairs + (where @ x.mT)


def one_hot(labels: Int[Tensor, "n"], logits: Float[Tensor, "n c"]) -> Float[Tensor, "n c"]:
    classes = int(labels.max()) + 1
    hot = torch.zeros(len(labels), classes)
    hot[torch.arange(len(labels)), labels] = 1
    return hot * logits


def confusion(labels: Int[Tensor, "n"], guesses: Int[Tensor, "n"], num_classes: int) -> Float[Tensor, "c c"]:
    seen = int(labels.max()) + 1
    table = torch.zeros(num_classes, seen)
    for a, b in zip(labels, guesses, strict=True):
        table[a, b] += 1
    return table + table.T


def padded_each(docs: list[list[int]], lengths: Int[Tensor, "n"]) -> list[Tensor]:
    out, before = [], None
    for i, doc in enumerate(docs):
        size = int(lengths[i])
        row = torch.zeros(size)
        row[: len(doc)] += torch.tensor(doc).float()[:size]
        if before is not None:
            row = torch.cat([before, row])[-size:]
        out.append(row)
        before = torch.zeros(size)
    return out


def patches(x: Float[Tensor, "n d"], per: int) -> Float[Tensor, "m d"]:
    count = math.ceil(len(x) / per)
    room = count * per - len(x)
    if room > 0:
        x = torch.cat([x, x.new_zeros(room, x.shape[1])])
    return x.view(count, per, -1).mean(1)


def sorted_blocks(keys: Int[Tensor, "n"], x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    parts, done = [], 0
    while done < len(x):
        size = int((keys == keys[done]).sum())
        parts.append(x[done : done + size])
        done += size
    return torch.cat(parts)


def similar(texts: list[str], table: Float[Tensor, "n d"]) -> Float[Tensor, "n n"]:
    embedded = torch.stack([table[len(t) % len(table)] for t in texts])
    scores = embedded @ table.T
    return scores + torch.eye(len(table)) + torch.eye(len(texts))


def chosen(x: Float[Tensor, "n d"], keep: Bool[Tensor, "n"]) -> Float[Tensor, "kept d"]:
    count = int(keep.sum())
    rows = x[keep]
    order = torch.argsort(rows.sum(1))[:count]
    return rows[order] + torch.zeros(count, 1)


class Positions(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.proj = nn.Linear(width, width)

    def forward(self, x: Float[Tensor, "b t width"], lengths: Int[Tensor, "b"]) -> Float[Tensor, "b t width"]:
        width = int(x.shape[-1])
        t = int(lengths.max())
        table = torch.zeros(t, width)
        return self.proj(x + table)


def top(logits: Float[Tensor, "n c"], labels: Int[Tensor, "n"], ks: tuple[int, ...] = (1, 3)) -> list[Tensor]:
    deepest = max(ks)
    _, guesses = logits.topk(deepest, dim=1)
    hits = guesses.T == labels[None, :]
    return [hits[:k].any(0).float().mean() for k in ks]


# run: masked(randn(2, 5, 3), torch.tensor([5, 2])), scores(randn(2, 5, 3), torch.tensor([5, 2]))
# run: one_hot(torch.tensor([0, 2, 1]), randn(3, 3)), confusion(torch.tensor([0, 2]), torch.tensor([1, 2]), 3)
# run: padded_each([[1], [2, 3]], torch.tensor([2, 3])), patches(randn(7, 2), 3), sorted_blocks(torch.tensor([0, 0, 1]), randn(3, 2))
# run: similar(["a", "bb", "ccc"], randn(3, 4)), chosen(randn(5, 2), torch.tensor([True, False, True, True, False]))
# run: Positions(4)(randn(2, 5, 4), torch.tensor([5, 2])), top(randn(6, 5), torch.randint(0, 5, (6,)))
