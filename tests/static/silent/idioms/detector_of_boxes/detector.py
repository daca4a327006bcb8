from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from boxes import Boxes, Coder, Matcher, iou, nms
from jaxtyping import Float, Int
from torch import Tensor, nn


@dataclass
class Target:
    boxes: Float[Tensor, "g 4"]
    labels: Int[Tensor, "g"]


@dataclass
class Detections:
    boxes: Float[Tensor, "k 4"]
    scores: Float[Tensor, "k"]
    labels: Int[Tensor, "k"]

    def top(self, n: int) -> Detections:
        idx = self.scores.argsort(descending=True)[:n]
        return Detections(self.boxes[idx], self.scores[idx], self.labels[idx])


class Head(nn.Module):
    def __init__(self, channels: int, anchors: int, classes: int) -> None:
        super().__init__()
        self.anchors, self.classes = anchors, classes
        self.cls = nn.Conv2d(channels, anchors * classes, 3, padding=1)
        self.box = nn.Conv2d(channels, anchors * 4, 3, padding=1)

    def _flat(self, x: Float[Tensor, "b c h w"], width: int) -> Float[Tensor, "b cells {width}"]:
        b, _, h, w = x.shape
        return x.view(b, self.anchors, width, h, w).permute(0, 3, 4, 1, 2).reshape(b, -1, width)

    def forward(self, feats: list[Float[Tensor, "b channels _ _"]]) -> tuple[Float[Tensor, "b cells classes"], Float[Tensor, "b cells 4"]]:
        logits = [self._flat(self.cls(f), self.classes) for f in feats]
        deltas = [self._flat(self.box(f), 4) for f in feats]
        return torch.cat(logits, dim=1), torch.cat(deltas, dim=1)


def grid_anchors(h: int, w: int, stride: int, sizes: list[float]) -> Float[Tensor, "cells 4"]:
    ys, xs = torch.meshgrid(torch.arange(h) + 0.5, torch.arange(w) + 0.5, indexing="ij")
    centres = torch.stack([xs, ys], dim=-1).reshape(-1, 1, 2) * stride
    half = torch.tensor(sizes).view(1, -1, 1) / 2
    return torch.cat([centres - half, centres + half], dim=-1).flatten(0, 1)


class Detector(nn.Module):
    def __init__(self, classes: int, sizes: list[float]) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU())
        self.down = nn.Conv2d(32, 32, 3, 2, 1)
        self.head = Head(32, len(sizes), classes)
        self.sizes, self.classes = sizes, classes
        self.coder = Coder(torch.tensor([10.0, 10.0, 5.0, 5.0]))
        self.matcher = Matcher(0.5, 0.4)

    def features(self, images: Float[Tensor, "b 3 h w"]) -> list[Float[Tensor, "b 32 _ _"]]:
        p2 = self.stem(images)
        return [p2, self.down(p2)]

    def anchors(self, feats: list[Float[Tensor, "b 32 _ _"]]) -> Float[Tensor, "cells 4"]:
        return torch.cat([grid_anchors(f.shape[2], f.shape[3], 4 * 2**i, self.sizes) for i, f in enumerate(feats)])

    def loss(self, images: Float[Tensor, "b 3 h w"], targets: list[Target]) -> dict[str, Float[Tensor, ""]]:
        feats = self.features(images)
        logits, deltas = self.head(feats)
        anchors = self.anchors(feats)
        cls_losses, box_losses = [], []
        for score, delta, target in zip(logits, deltas, targets):
            index, positive = self.matcher(anchors, target.boxes)
            onehot = F.one_hot(target.labels[index], self.classes).float() * positive[:, None]
            cls_losses.append(F.binary_cross_entropy_with_logits(score, onehot))
            wanted = self.coder.encode(anchors, target.boxes[index])
            box_losses.append(((delta - wanted).abs().sum(-1) * positive).mean())
        return {"cls": torch.stack(cls_losses).mean(), "box": torch.stack(box_losses).mean()}

    @torch.no_grad()
    def detect(self, images: Float[Tensor, "b 3 h w"], threshold: float = 0.5) -> list[Detections]:
        feats = self.features(images)
        logits, deltas = self.head(feats)
        anchors = self.anchors(feats)
        found = []
        for score, delta in zip(logits.sigmoid(), deltas):
            best, label = score.max(-1)
            boxes = self.coder.decode(anchors, delta)
            mask = best > threshold
            boxes, best, label = boxes[mask], best[mask], label[mask]
            keep = nms(boxes, best, 0.5)
            found.append(Detections(boxes[keep], best[keep], label[keep]).top(10))
        return found


# run: d = Detector(5, [8.0, 16.0])
# run: x = torch.randn(2,3,16,16)
# run: t = [Target(torch.tensor([[0.,0.,8.,8.]]), torch.tensor([1])), Target(torch.tensor([[2.,2.,9.,9.],[0.,0.,4.,4.]]), torch.tensor([1,2]))]
# run: sum(d.loss(x, t).values()).backward()
# run: d.detect(x)
