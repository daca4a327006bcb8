"""Turning ragged Python lists into padded batches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


@dataclass
class Batch:
    input_ids: Int[Tensor, "batch seq"]
    attention_mask: Bool[Tensor, "batch seq"]
    labels: Int[Tensor, "batch seq"]

    def __post_init__(self) -> None:
        assert self.input_ids.shape == self.labels.shape

    def pin_memory(self) -> Batch:
        return self

    def __iter__(self) -> Iterator[Tensor]:
        yield self.input_ids
        yield self.attention_mask
        yield self.labels


class TextDataset(Dataset):
    def __init__(self, texts: Sequence[str], max_len: int = 16) -> None:
        self.items = [torch.tensor([ord(c) % 50 + 1 for c in t[:max_len]]) for t in texts]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, i: int) -> dict[str, Any]:
        ids = self.items[i]
        return {"ids": ids, "length": len(ids)}


def collate(items: list[dict[str, Any]], pad: int = 0, ignore: int = -100) -> Batch:
    ids = pad_sequence([item["ids"] for item in items], batch_first=True, padding_value=pad)
    lengths = torch.tensor([item["length"] for item in items])
    mask = torch.arange(ids.size(1))[None] < lengths[:, None]
    labels = ids.masked_fill(~mask, ignore)
    labels = torch.cat([labels[:, 1:], torch.full_like(labels[:, :1], ignore)], dim=1)
    return Batch(ids, mask, labels)


def buckets(lengths: Sequence[int], width: int) -> dict[int, list[int]]:
    out: dict[int, list[int]] = defaultdict(list)
    for i, n in enumerate(lengths):
        out[n // width].append(i)
    return out


def pack(sequences: Sequence[Int[Tensor, "_"]], size: int, eos: int) -> Int[Tensor, "rows {size}"]:
    flat = torch.cat([torch.cat([s, s.new_tensor([eos])]) for s in sequences])
    rows = flat.numel() // size
    return flat[: rows * size].view(rows, size)


def pad_images(images: list[Float[Tensor, "3 _ _"]]) -> tuple[Float[Tensor, "n 3 h w"], Bool[Tensor, "n h w"]]:
    heights, widths = zip(*[(im.shape[1], im.shape[2]) for im in images])
    h, w = max(heights), max(widths)
    out = torch.zeros(len(images), 3, h, w)
    mask = torch.ones(len(images), h, w, dtype=torch.bool)
    for slot, m, im in zip(out, mask, images):
        slot[:, : im.shape[1], : im.shape[2]].copy_(im)
        m[: im.shape[1], : im.shape[2]] = False
    return out, mask


def from_lists(rows: list[list[float]]) -> Float[np.ndarray, "n m"]:
    width = max(len(r) for r in rows)
    out = np.full((len(rows), width), np.nan)
    for i, row in enumerate(rows):
        out[i, : len(row)] = row
    return out


def loop(texts: list[str]) -> int:
    loader = DataLoader(TextDataset(texts), batch_size=3, shuffle=False, collate_fn=collate)
    total = 0
    for batch in loader:
        ids, mask, labels = batch
        total += int((ids * mask).sum()) + int((labels != -100).sum())
    return total


# run: loop(["hello", "a", "shape checking", "yes", "no"]); buckets([1, 5, 9], 4)
# run: pack([torch.arange(5), torch.arange(7)], 4, 0); pad_images([randn(3, 5, 7), randn(3, 4, 9)]); from_lists([[1.0], [2.0, 3.0]])
