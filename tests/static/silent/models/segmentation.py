"""A feature pyramid for segmentation with dice, focal and boundary losses."""

from __future__ import annotations

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor


def conv_bn(c_in: int, c_out: int, k: int = 3, s: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, k, stride=s, padding=k // 2, bias=False), nn.BatchNorm2d(c_out), nn.ReLU(inplace=True)
    )


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inplanes: int, planes: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = conv_bn(inplanes, planes, s=stride)
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = None
        if stride != 1 or inplanes != planes:
            self.downsample = nn.Sequential(
                nn.Conv2d(inplanes, planes, 1, stride=stride, bias=False), nn.BatchNorm2d(planes)
            )

    def forward(self, x: Float[Tensor, "b inplanes h w"]) -> Float[Tensor, "b planes h2 w2"]:
        identity = x
        out = self.bn2(self.conv2(self.conv1(x)))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return F.relu(out)


class Backbone(nn.Module):
    def __init__(self, widths: tuple[int, int, int]) -> None:
        super().__init__()
        self.stem = conv_bn(3, widths[0], s=2)
        self.stage1 = self._make(widths[0], widths[0], 1)
        self.stage2 = self._make(widths[0], widths[1], 2)
        self.stage3 = self._make(widths[1], widths[2], 2)

    def _make(self, c_in: int, c_out: int, stride: int) -> nn.Sequential:
        return nn.Sequential(BasicBlock(c_in, c_out, stride), BasicBlock(c_out, c_out))

    def forward(self, x: Float[Tensor, "b 3 h w"]) -> list[Float[Tensor, "b _ _ _"]]:
        x = self.stem(x)
        c1 = self.stage1(x)
        c2 = self.stage2(c1)
        c3 = self.stage3(c2)
        return [c1, c2, c3]


class FPNSegmenter(nn.Module):
    def __init__(self, classes: int, widths: tuple[int, int, int] = (6, 10, 14), dim: int = 9) -> None:
        super().__init__()
        self.backbone = Backbone(widths)
        self.lateral = nn.ModuleList(nn.Conv2d(w, dim, 1) for w in widths)
        self.smooth = nn.ModuleList(nn.Conv2d(dim, dim, 3, padding=1) for _ in widths)
        self.head = nn.Conv2d(dim * len(widths), classes, 1)

    def forward(self, x: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b classes h w"]:
        features = [conv(f) for conv, f in zip(self.lateral, self.backbone(x))]
        for i in range(len(features) - 2, -1, -1):
            up = F.interpolate(features[i + 1], size=features[i].shape[-2:], mode="nearest")
            features[i] = features[i] + up
        size = features[0].shape[-2:]
        levels = [
            F.interpolate(s(f), size=size, mode="bilinear", align_corners=False)
            for s, f in zip(self.smooth, features)
        ]
        logits = self.head(torch.cat(levels, dim=1))
        return F.interpolate(logits, size=x.shape[-2:], mode="bilinear", align_corners=False)


def one_hot_masks(target: Int[Tensor, "b h w"], classes: int) -> Float[Tensor, "b {classes} h w"]:
    return F.one_hot(target, classes).permute(0, 3, 1, 2).float()


def dice_loss(
    logits: Float[Tensor, "b c h w"], target: Int[Tensor, "b h w"], eps: float = 1e-6
) -> Float[Tensor, ""]:
    probs = logits.softmax(dim=1)
    onehot = one_hot_masks(target, logits.shape[1])
    inter = (probs * onehot).sum(dim=(2, 3))
    total = probs.sum(dim=(2, 3)) + onehot.sum(dim=(2, 3))
    dice = (2 * inter + eps) / (total + eps)
    return 1 - dice.mean()


def focal_loss(
    logits: Float[Tensor, "b c h w"], target: Int[Tensor, "b h w"], gamma: float = 2.0, ignore: int = 255
) -> Float[Tensor, ""]:
    valid = target != ignore
    safe = target.masked_fill(~valid, 0)
    logp = logits.log_softmax(dim=1)
    logpt = logp.gather(1, safe.unsqueeze(1)).squeeze(1)
    pt = logpt.exp()
    loss = -((1 - pt) ** gamma) * logpt
    return loss[valid].mean()


def boundary(mask: Bool[Tensor, "b h w"]) -> Bool[Tensor, "b h w"]:
    x = mask.float().unsqueeze(1)
    dilated = F.max_pool2d(x, 3, stride=1, padding=1)
    eroded = -F.max_pool2d(-x, 3, stride=1, padding=1)
    return (dilated - eroded).squeeze(1) > 0.5


def weighted_cross_entropy(
    logits: Float[Tensor, "b c h w"], target: Int[Tensor, "b h w"], edge_weight: float
) -> Float[Tensor, ""]:
    loss = F.cross_entropy(logits, target, reduction="none")
    weight = 1 + edge_weight * boundary(target > 0).float()
    return (loss * weight).sum() / weight.sum()


@torch.no_grad()
def mean_iou(logits: Float[Tensor, "b c h w"], target: Int[Tensor, "b h w"]) -> Float[Tensor, ""]:
    classes = logits.shape[1]
    pred = logits.argmax(1)
    matrix = torch.bincount((target * classes + pred).flatten(), minlength=classes**2).view(classes, classes)
    inter = matrix.diagonal()
    union = matrix.sum(0) + matrix.sum(1) - inter
    return (inter.float() / union.clamp(min=1)).mean()


# run: m = FPNSegmenter(5); x = randn(2, 3, 22, 34); t = randint(0, 5, (2, 22, 34)); y = m(x)
# run: dice_loss(y, t); focal_loss(y, t); weighted_cross_entropy(y, t, 2.0); mean_iou(y, t)
