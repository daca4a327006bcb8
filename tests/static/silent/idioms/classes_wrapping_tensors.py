"""Value objects around tensors with operators, slicing and batching."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import overload

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


@dataclass
class Boxes:
    xyxy: Float[Tensor, "n 4"]
    scores: Float[Tensor, "n"]
    labels: Int[Tensor, "n"]

    def __len__(self) -> int:
        return self.xyxy.shape[0]

    @overload
    def __getitem__(self, index: int) -> Float[Tensor, "4"]: ...
    @overload
    def __getitem__(self, index: slice | Tensor) -> Boxes: ...
    def __getitem__(self, index: int | slice | Tensor) -> Float[Tensor, "4"] | Boxes:
        if isinstance(index, int):
            return self.xyxy[index]
        return Boxes(*(getattr(self, f.name)[index] for f in fields(self)))

    def __iter__(self) -> Iterator[Float[Tensor, "4"]]:
        yield from self.xyxy

    def __add__(self, other: Boxes) -> Boxes:
        return Boxes(
            torch.cat([self.xyxy, other.xyxy]),
            torch.cat([self.scores, other.scores]),
            torch.cat([self.labels, other.labels]),
        )

    @property
    def area(self) -> Float[Tensor, "n"]:
        wh = (self.xyxy[:, 2:] - self.xyxy[:, :2]).clamp(min=0)
        return wh.prod(dim=1)

    @property
    def centres(self) -> Float[Tensor, "n 2"]:
        return self.xyxy.view(-1, 2, 2).mean(dim=1)

    def iou(self, other: Boxes) -> Float[Tensor, "n m"]:
        lt = torch.maximum(self.xyxy[:, None, :2], other.xyxy[None, :, :2])
        rb = torch.minimum(self.xyxy[:, None, 2:], other.xyxy[None, :, 2:])
        inter = (rb - lt).clamp(min=0).prod(-1)
        return inter / (self.area[:, None] + other.area[None] - inter).clamp(min=1e-9)

    def above(self, threshold: float) -> Boxes:
        return self[self.scores > threshold]

    def sorted(self) -> Boxes:
        return self[self.scores.argsort(descending=True)]


@dataclass(frozen=True)
class Rotation:
    quat: Float[Tensor, "*batch 4"]

    @classmethod
    def identity(cls, *batch: int) -> Rotation:
        q = torch.zeros(*batch, 4)
        q[..., 0] = 1.0
        return cls(q)

    def __matmul__(self, other: Rotation) -> Rotation:
        a, b = self.quat, other.quat
        w = a[..., 0] * b[..., 0] - (a[..., 1:] * b[..., 1:]).sum(-1)
        v = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + torch.linalg.cross(a[..., 1:], b[..., 1:])
        return Rotation(torch.cat([w[..., None], v], dim=-1))

    def inverse(self) -> Rotation:
        return Rotation(self.quat * torch.tensor([1.0, -1.0, -1.0, -1.0]))

    def matrix(self) -> Float[Tensor, "*batch 3 3"]:
        w, x, y, z = torch.unbind(self.quat / self.quat.norm(dim=-1, keepdim=True), -1)
        rows = [
            torch.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1),
            torch.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1),
            torch.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1),
        ]
        return torch.stack(rows, dim=-2)

    def apply(self, points: Float[Tensor, "*batch n 3"]) -> Float[Tensor, "*batch n 3"]:
        return points @ self.matrix().transpose(-1, -2)

    def __getitem__(self, index) -> Rotation:
        return Rotation(self.quat[index])


def best(boxes: Boxes, k: int) -> Boxes:
    return boxes.sorted()[:k]


def duplicates(boxes: Boxes, limit: float) -> Bool[Tensor, "n n"]:
    same = boxes.labels[:, None] == boxes.labels[None, :]
    return (boxes.iou(boxes) > limit) & same & ~torch.eye(len(boxes), dtype=torch.bool)


# run: b = Boxes(torch.rand(5, 4), torch.rand(5), randint(0, 2, (5,))); (b + best(b, 2)).above(0.1); b.centres; duplicates(b, 0.5); b[0]; list(b)
# run: r = Rotation.identity(2, 3); (r @ r.inverse()).apply(randn(2, 3, 7, 3)); r[0].apply(randn(3, 7, 3))
