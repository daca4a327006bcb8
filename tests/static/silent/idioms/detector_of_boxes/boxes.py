"""Box geometry as free functions, a class and a namedtuple."""
from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

Boxes = Float[Tensor, "n 4"]
Others = Float[Tensor, "m 4"]


def area(b: Float[Tensor, "*n 4"]) -> Float[Tensor, "*n"]:
    return (b[..., 2] - b[..., 0]).clamp(min=0) * (b[..., 3] - b[..., 1]).clamp(min=0)


def iou(a: Boxes, b: Others) -> Float[Tensor, "n m"]:
    lt = torch.maximum(a[:, None, :2], b[None, :, :2])
    rb = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    return inter / (area(a)[:, None] + area(b)[None] - inter + 1e-6)


def to_cxcywh(b: Float[Tensor, "*n 4"]) -> Float[Tensor, "*n 4"]:
    x0, y0, x1, y1 = b.unbind(-1)
    return torch.stack([(x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0], dim=-1)


def to_xyxy(b: Float[Tensor, "*n 4"]) -> Float[Tensor, "*n 4"]:
    centre, size = b[..., :2], b[..., 2:]
    return torch.cat([centre - size / 2, centre + size / 2], dim=-1)


class Matches(NamedTuple):
    gt_index: Int[Tensor, "n"]
    positive: Bool[Tensor, "n"]


class Matcher:
    def __init__(self, high: float, low: float) -> None:
        self.high, self.low = high, low

    def __call__(self, anchors: Boxes, gt: Others) -> Matches:
        overlap = iou(anchors, gt)
        best, index = overlap.max(1)
        return Matches(index, best >= self.high)


class Coder:
    def __init__(self, weights: Float[Tensor, "4"]) -> None:
        self.weights = weights

    def encode(self, anchors: Boxes, boxes: Boxes) -> Float[Tensor, "n 4"]:
        a, b = to_cxcywh(anchors), to_cxcywh(boxes)
        shift = (b[:, :2] - a[:, :2]) / a[:, 2:]
        scale = (b[:, 2:] / a[:, 2:]).clamp(min=1e-3).log()
        return torch.cat([shift, scale], dim=1) * self.weights

    def decode(self, anchors: Boxes, deltas: Float[Tensor, "n 4"]) -> Boxes:
        a, d = to_cxcywh(anchors), deltas / self.weights
        centre = d[:, :2] * a[:, 2:] + a[:, :2]
        return to_xyxy(torch.cat([centre, d[:, 2:].exp() * a[:, 2:]], dim=1))


def nms(boxes: Boxes, scores: Float[Tensor, "n"], threshold: float) -> Int[Tensor, "kept"]:
    order = scores.argsort(descending=True)
    keep: list[int] = []
    while order.numel():
        i = int(order[0])
        keep.append(i)
        rest = order[1:]
        order = rest[iou(boxes[i][None], boxes[rest])[0] < threshold]
    return torch.tensor(keep, dtype=torch.long)
