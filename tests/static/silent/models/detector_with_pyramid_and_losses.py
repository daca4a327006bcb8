"""A one-stage detector: backbone from a table, pyramid, heads shared between levels, matching, losses."""

import math
from collections import OrderedDict
from typing import NamedTuple, Sequence

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

STAGES = [(16, 1), (32, 2), (64, 2)]


def conv_bn_act(c_in: int, c_out: int, k: int = 3, stride: int = 1, act: bool = True) -> nn.Sequential:
    layers: list[tuple[str, nn.Module]] = [
        ("conv", nn.Conv2d(c_in, c_out, k, stride, k // 2, bias=False)),
        ("bn", nn.BatchNorm2d(c_out)),
    ]
    if act:
        layers.append(("act", nn.SiLU(inplace=True)))
    return nn.Sequential(OrderedDict(layers))


class SqueezeExcite(nn.Module):
    def __init__(self, c: int, ratio: int = 4):
        super().__init__()
        hidden = max(1, c // ratio)
        self.fc = nn.Sequential(nn.Conv2d(c, hidden, 1), nn.ReLU(), nn.Conv2d(hidden, c, 1), nn.Sigmoid())

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c h w"]:
        return x * self.fc(x.mean((2, 3), keepdim=True))


class Bottleneck(nn.Module):
    def __init__(self, c_in: int, c_out: int, stride: int):
        super().__init__()
        mid = c_out // 2
        self.body = nn.Sequential(
            conv_bn_act(c_in, mid, 1), conv_bn_act(mid, mid, 3, stride), conv_bn_act(mid, c_out, 1, act=False)
        )
        self.se = SqueezeExcite(c_out)
        self.skip = nn.Identity() if stride == 1 and c_in == c_out else conv_bn_act(c_in, c_out, 1, stride, act=False)

    def forward(self, x: Float[Tensor, "b c_in h w"]) -> Float[Tensor, "b c_out h2 w2"]:
        return F.silu(self.se(self.body(x)) + self.skip(x))


class Backbone(nn.Module):
    def __init__(self, stages: Sequence[tuple[int, int]] = tuple(STAGES)):
        super().__init__()
        c = stages[0][0]
        self.stem = conv_bn_act(3, c)
        self.stages = nn.ModuleList()
        self.channels: list[int] = []
        for width, depth in stages:
            blocks = []
            for i in range(depth):
                blocks.append(Bottleneck(c, width, 2 if i == 0 else 1))
                c = width
            self.stages.append(nn.Sequential(*blocks))
            self.channels.append(c)

    def forward(self, x: Float[Tensor, "b 3 h w"]) -> list[Float[Tensor, "b _ _ _"]]:
        x = self.stem(x)
        feats = []
        for stage in self.stages:
            x = stage(x)
            feats.append(x)
        return feats


class FPN(nn.Module):
    def __init__(self, channels: list[int], out: int):
        super().__init__()
        self.lateral = nn.ModuleList(nn.Conv2d(c, out, 1) for c in channels)
        self.output = nn.ModuleList(nn.Conv2d(out, out, 3, padding=1) for _ in channels)

    def forward(self, feats: list[Float[Tensor, "b _ _ _"]]) -> list[Float[Tensor, "b _ _ _"]]:
        laterals = [lat(f) for lat, f in zip(self.lateral, feats)]
        for i in reversed(range(1, len(laterals))):
            h, w = laterals[i - 1].shape[-2:]
            laterals[i - 1] = laterals[i - 1] + F.interpolate(laterals[i], size=(h, w), mode="nearest")
        return [out(x) for out, x in zip(self.output, laterals)]


class Predictions(NamedTuple):
    logits: Float[Tensor, "b n classes"]
    boxes: Float[Tensor, "b n 4"]


class Head(nn.Module):
    def __init__(self, c: int, classes: int, depth: int = 2):
        super().__init__()
        self.tower = nn.Sequential(*[conv_bn_act(c, c) for _ in range(depth)])
        self.cls = nn.Conv2d(c, classes, 3, padding=1)
        self.reg = nn.Conv2d(c, 4, 3, padding=1)
        self.scales = nn.Parameter(torch.ones(len(STAGES)))
        nn.init.constant_(self.cls.bias, -math.log((1 - 0.01) / 0.01))

    def forward(self, feats: list[Float[Tensor, "b c _ _"]]) -> Predictions:
        logits, boxes = [], []
        for i, f in enumerate(feats):
            t = self.tower(f)
            logits.append(self.cls(t).flatten(2).transpose(1, 2))
            boxes.append((self.reg(t) * self.scales[i]).exp().flatten(2).permute(0, 2, 1))
        return Predictions(torch.cat(logits, dim=1), torch.cat(boxes, dim=1))


def centers(feats: list[Float[Tensor, "b c _ _"]], size: tuple[int, int]) -> Float[Tensor, "n 2"]:
    points = []
    for f in feats:
        h, w = f.shape[-2:]
        stride = size[0] / h
        ys = (torch.arange(h) + 0.5) * stride
        xs = (torch.arange(w) + 0.5) * stride
        gy, gx = torch.meshgrid(ys, xs, indexing="ij")
        points.append(torch.stack([gx, gy], dim=-1).reshape(-1, 2))
    return torch.cat(points)


def decode(points: Float[Tensor, "n 2"], ltrb: Float[Tensor, "b n 4"]) -> Float[Tensor, "b n 4"]:
    return torch.cat([points - ltrb[..., :2], points + ltrb[..., 2:]], dim=-1)


def box_iou(a: Float[Tensor, "n 4"], b: Float[Tensor, "m 4"]) -> Float[Tensor, "n m"]:
    area_a = (a[:, 2:] - a[:, :2]).prod(-1)
    area_b = (b[:, 2:] - b[:, :2]).prod(-1)
    lt = torch.maximum(a[:, None, :2], b[None, :, :2])
    rb = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    return inter / (area_a[:, None] + area_b - inter).clamp(min=1e-6)


def giou_loss(p: Float[Tensor, "k 4"], t: Float[Tensor, "k 4"]) -> Float[Tensor, ""]:
    if p.numel() == 0:
        return p.sum()
    x1, y1, x2, y2 = p.unbind(-1)
    u1, v1, u2, v2 = t.unbind(-1)
    inter = (torch.min(x2, u2) - torch.max(x1, u1)).clamp(min=0) * (torch.min(y2, v2) - torch.max(y1, v1)).clamp(min=0)
    union = (x2 - x1) * (y2 - y1) + (u2 - u1) * (v2 - v1) - inter
    hull = (torch.max(x2, u2) - torch.min(x1, u1)) * (torch.max(y2, v2) - torch.min(y1, v1))
    iou = inter / union.clamp(min=1e-6)
    return (1 - iou + (hull - union) / hull.clamp(min=1e-6)).mean()


def match(points: Float[Tensor, "n 2"], boxes: Float[Tensor, "m 4"]) -> tuple[Int[Tensor, "n"], Bool[Tensor, "n"]]:
    left_top = points[:, None] - boxes[None, :, :2]
    right_bottom = boxes[None, :, 2:] - points[:, None]
    inside = torch.cat([left_top, right_bottom], dim=-1).min(dim=-1).values > 0
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    cost = torch.where(inside, area[None, :], torch.full_like(area, float("inf"))[None, :])
    best, index = cost.min(dim=1)
    return index, best.isfinite()


def focal_loss(logits: Float[Tensor, "n c"], target: Float[Tensor, "n c"], gamma: float = 2.0) -> Float[Tensor, ""]:
    p = logits.sigmoid()
    ce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    pt = p * target + (1 - p) * (1 - target)
    return ((1 - pt) ** gamma * ce).sum()


class Detector(nn.Module):
    def __init__(self, classes: int = 5, width: int = 32):
        super().__init__()
        self.backbone = Backbone()
        self.fpn = FPN(self.backbone.channels, width)
        self.head = Head(width, classes)
        self.classes = classes

    def forward(self, images: Float[Tensor, "b 3 h w"]) -> tuple[Predictions, Float[Tensor, "n 2"]]:
        feats = self.fpn(self.backbone(images))
        points = centers(feats, (images.shape[-2], images.shape[-1]))
        out = self.head(feats)
        return out._replace(boxes=decode(points, out.boxes)), points

    def loss(
        self,
        images: Float[Tensor, "b 3 h w"],
        boxes: list[Float[Tensor, "_ 4"]],
        labels: list[Int[Tensor, "_"]],
    ) -> dict[str, Float[Tensor, ""]]:
        out, points = self(images)
        cls = images.new_zeros(())
        reg = images.new_zeros(())
        count = 0
        for i, (gt, lab) in enumerate(zip(boxes, labels)):
            index, positive = match(points, gt)
            target = torch.zeros_like(out.logits[i])
            target[positive, lab[index[positive]]] = 1.0
            cls = cls + focal_loss(out.logits[i], target)
            reg = reg + giou_loss(out.boxes[i][positive], gt[index[positive]])
            count += int(positive.sum())
        return {"cls": cls / max(count, 1), "reg": reg / len(boxes)}


def main() -> None:
    torch.manual_seed(0)
    det = Detector()
    images = torch.rand(2, 3, 32, 32)
    gts = [torch.tensor([[2.0, 2.0, 20.0, 20.0]]), torch.tensor([[1.0, 4.0, 9.0, 30.0], [8.0, 8.0, 30.0, 30.0]])]
    labels = [torch.tensor([1]), torch.tensor([0, 4])]
    losses = det.loss(images, gts, labels)
    total = sum(losses.values(), torch.zeros(()))
    total.backward()


# run: main()
