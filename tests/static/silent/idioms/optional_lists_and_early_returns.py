from __future__ import annotations

from typing import List, Optional, Sequence, Tuple, Union

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class Pyramid(nn.Module):
    def __init__(self, dims: Sequence[int], out: Optional[int] = None) -> None:
        super().__init__()
        self.convs: nn.ModuleList = nn.ModuleList()
        for a, b in zip(dims[:-1], dims[1:]):
            self.convs.append(nn.Conv1d(a, b, 3, 2, 1))
        self.head: Optional[nn.Linear] = nn.Linear(dims[-1], out) if out else None

    def forward(
        self, x: Float[Tensor, "b c t"], skip: Optional[List[Optional[Float[Tensor, "b _ _"]]]] = None
    ) -> Union[Float[Tensor, "b k"], List[Float[Tensor, "b _ _"]]]:
        outs: List[Tensor] = []
        for i, conv in enumerate(self.convs):
            x = conv(x).relu()
            if skip is not None and i < len(skip):
                extra = skip[i]
                if extra is not None:
                    x = x + extra
            outs.append(x)
        if self.head is None:
            return outs
        return self.head(outs[-1].mean(-1))


def find_peak(x: Float[Tensor, "t"], threshold: float) -> Optional[int]:
    hits = (x > threshold).nonzero()
    if len(hits) == 0:
        return None
    return int(hits[0, 0])


def crop_around(x: Float[Tensor, "t d"], centre: Optional[int], radius: int) -> Float[Tensor, "_ d"]:
    if centre is None:
        return x
    return x[max(centre - radius, 0) : centre + radius + 1]


def merge_masks(masks: Sequence[Optional[Bool[Tensor, "b s"]]]) -> Optional[Bool[Tensor, "b s"]]:
    present = [m for m in masks if m is not None]
    if not present:
        return None
    if len(present) == 1:
        return present[0]
    return torch.stack(present).all(dim=0)


def masked_softmax(
    scores: Float[Tensor, "b h q k"], mask: Bool[Tensor, "b k"] | Bool[Tensor, "b q k"] | None = None
) -> Float[Tensor, "b h q k"]:
    if mask is None:
        return scores.softmax(-1)
    if mask.ndim == 2:
        mask = mask[:, None, None]
    else:
        mask = mask.unsqueeze(1)
    return scores.masked_fill(~mask, -1e9).softmax(-1)


def decode(ids: Int[Tensor, "s"], eos: int) -> Tuple[Int[Tensor, "_"], bool]:
    for i, token in enumerate(ids):
        if token == eos:
            return ids[:i], True
    return ids, False


def binary_search(x: Float[Tensor, "n"], value: float, lo: int = 0, hi: int | None = None) -> int:
    hi = len(x) if hi is None else hi
    if lo >= hi:
        return lo
    mid = (lo + hi) // 2
    if x[mid] < value:
        return binary_search(x, value, mid + 1, hi)
    return binary_search(x, value, lo, mid)


def first_valid(*candidates: Float[Tensor, "..."] | None) -> Float[Tensor, "..."]:
    for c in candidates:
        if c is not None and torch.isfinite(c).all():
            return c
    raise ValueError("nothing is valid")


# run: Pyramid([3, 5, 7], 2)(randn(2, 3, 16)); Pyramid([3, 5, 7])(randn(2, 3, 16), [None, randn(2, 7, 4)])
# run: crop_around(randn(11, 3), find_peak(randn(11), 0.5), 2); merge_masks([None, randn(2, 3) > 0, randn(2, 3) > 0]); decode(torch.arange(5), 3)
# run: masked_softmax(randn(2, 3, 5, 7)); masked_softmax(randn(2, 3, 5, 7), randn(2, 7) > 0); masked_softmax(randn(2, 3, 5, 7), randn(2, 5, 7) > 0)
# run: binary_search(torch.arange(10.0), 6.5); first_valid(None, torch.tensor([float("nan")]), randn(3, 5))
