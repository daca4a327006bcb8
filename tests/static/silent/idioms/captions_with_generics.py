"""Typed datasets, transforms, samplers and collation with generics."""
from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypedDict, TypeVar

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int, UInt8
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Sampler

T = TypeVar("T")
U = TypeVar("U")


class Raw(TypedDict):
    image: UInt8[Tensor, "h w 3"]
    caption: Int[Tensor, "t"]


@dataclass
class Example:
    image: Float[Tensor, "3 s s"]
    caption: Int[Tensor, "t"]


@dataclass
class Batch:
    images: Float[Tensor, "b 3 s s"]
    captions: Int[Tensor, "b t"]
    mask: Bool[Tensor, "b t"]

    def pin(self) -> Batch:
        return Batch(self.images.contiguous(), self.captions, self.mask)

    def __len__(self) -> int:
        return len(self.images)


class Transform(ABC, Generic[T, U]):
    @abstractmethod
    def __call__(self, item: T) -> U: ...

    def then(self, other: Transform[U, Any]) -> Chain:
        return Chain([self, other])


class Chain(Transform[Any, Any]):
    def __init__(self, steps: Sequence[Transform[Any, Any]]) -> None:
        self.steps = list(steps)

    def __call__(self, item: Any) -> Any:
        for step in self.steps:
            item = step(item)
        return item


class ToFloat(Transform[UInt8[Tensor, "h w 3"], Float[Tensor, "3 h w"]]):
    def __init__(self, mean: Float[Tensor, "3"], std: Float[Tensor, "3"]) -> None:
        self.mean = mean[:, None, None]
        self.std = std[:, None, None]

    def __call__(self, item: UInt8[Tensor, "h w 3"]) -> Float[Tensor, "3 h w"]:
        return (item.permute(2, 0, 1).float() / 255 - self.mean) / self.std


class Square(Transform[Float[Tensor, "3 h w"], Float[Tensor, "3 s s"]]):
    def __init__(self, side: int) -> None:
        self.side = side

    def __call__(self, item: Float[Tensor, "3 h w"]) -> Float[Tensor, "3 {self.side} {self.side}"]:
        _, h, w = item.shape
        short = min(h, w)
        top, left = (h - short) // 2, (w - short) // 2
        crop = item[:, top : top + short, left : left + short]
        return F.interpolate(crop[None], size=(self.side, self.side), mode="bilinear")[0]


class Flip(Transform[Float[Tensor, "3 s s"], Float[Tensor, "3 s s"]]):
    def __init__(self, p: float) -> None:
        self.p = p

    def __call__(self, item: Float[Tensor, "3 s s"]) -> Float[Tensor, "3 s s"]:
        return item.flip(-1) if random.random() < self.p else item


class Captions(Dataset[Example]):
    def __init__(self, items: list[Raw], transform: Callable[[UInt8[Tensor, "h w 3"]], Float[Tensor, "3 s s"]]) -> None:
        self.items = items
        self.transform = transform

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, i: int) -> Example:
        raw = self.items[i]
        return Example(self.transform(raw["image"]), raw["caption"])

    def lengths(self) -> Int[Tensor, "n"]:
        return torch.tensor([len(r["caption"]) for r in self.items])


class ByLength(Sampler[list[int]]):
    def __init__(self, lengths: Int[Tensor, "n"], size: int) -> None:
        self.order = lengths.argsort()
        self.size = size

    def __len__(self) -> int:
        return -(-len(self.order) // self.size)

    def __iter__(self) -> Iterator[list[int]]:
        for part in self.order.split(self.size):
            yield part.tolist()


def collate(examples: list[Example], pad: int = 0) -> Batch:
    longest = max(len(e.caption) for e in examples)
    captions = torch.full((len(examples), longest), pad)
    for row, e in zip(captions, examples):
        row[: len(e.caption)] = e.caption
    images = torch.stack([e.image for e in examples])
    return Batch(images, captions, captions != pad).pin()


def mean_std(batches: Iterator[Batch]) -> tuple[Float[Tensor, "3"], Float[Tensor, "3"]]:
    total, square, count = torch.zeros(3), torch.zeros(3), 0
    for batch in batches:
        flat = batch.images.transpose(0, 1).flatten(1)
        total = total + flat.sum(1)
        square = square + flat.square().sum(1)
        count += flat.shape[1]
    mean = total / count
    return mean, (square / count - mean.square()).clamp(min=0).sqrt()


def caption_loss(logits: Float[Tensor, "b t v"], batch: Batch) -> Float[Tensor, ""]:
    flat = F.cross_entropy(logits.flatten(0, 1), batch.captions.flatten(), reduction="none")
    per_token = flat.view_as(batch.captions)
    return (per_token * batch.mask).sum() / batch.mask.sum()


def build(items: list[Raw], side: int, size: int) -> DataLoader[Batch]:
    norm = ToFloat(torch.full((3,), 0.5), torch.full((3,), 0.25))
    chain = norm.then(Square(side))
    data = Captions(items, Chain([chain, Flip(0.5)]))
    return DataLoader(data, batch_sampler=ByLength(data.lengths(), size), collate_fn=collate)


def run(items: list[Raw]) -> float:
    loader = build(items, 8, 2)
    mean, std = mean_std(iter(loader))
    losses = []
    for batch in loader:
        b, t = batch.captions.shape
        logits = torch.randn(b, t, 50)
        losses.append(caption_loss(logits, batch))
    return float(torch.stack(losses).mean() + (mean / (std + 1)).sum())


# run: run([{"image": torch.zeros(9,12,3,dtype=torch.uint8), "caption": torch.tensor([1,2,3])}, {"image": torch.zeros(10,8,3,dtype=torch.uint8), "caption": torch.tensor([4,5])}, {"image": torch.zeros(8,8,3,dtype=torch.uint8), "caption": torch.tensor([7])}])
