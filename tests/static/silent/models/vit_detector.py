"""A small ViT with a box head: patches, positions, matching, losses, decoding."""
from functools import partial
from typing import Callable, TypedDict

import torch
import torch.nn.functional as F
from einops.layers.torch import Rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class Target(TypedDict):
    labels: Int[Tensor, "objects"]
    boxes: Float[Tensor, "objects 4"]


class Output(TypedDict):
    logits: Float[Tensor, "b queries classes"]
    boxes: Float[Tensor, "b queries 4"]


def interpolate_pos(pos: Float[Tensor, "1 n d"], h: int, w: int) -> Float[Tensor, "1 {h}*{w} d"]:
    side = int(pos.shape[1] ** 0.5)
    grid = pos.reshape(1, side, side, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=(h, w), mode="bicubic", align_corners=False)
    return grid.flatten(2).transpose(1, 2)


class PatchEmbed(nn.Module):
    def __init__(self, patch: int, chans: int, dim: int):
        super().__init__()
        self.patch = patch
        self.proj = nn.Sequential(
            Rearrange("b c (h p) (w q) -> b h w (c p q)", p=patch, q=patch),
            nn.LayerNorm(chans * patch * patch),
            nn.Linear(chans * patch * patch, dim),
        )

    def forward(self, img: Float[Tensor, "b chans H W"]) -> Float[Tensor, "b h w dim"]:
        return self.proj(img)


class MLP(nn.Module):
    def __init__(self, d_in: int, hidden: int, d_out: int, layers: int):
        super().__init__()
        sizes = [d_in] + [hidden] * (layers - 1) + [d_out]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes[:-1], sizes[1:]))

    def forward(self, x: Float[Tensor, "... d_in"]) -> Float[Tensor, "... d_out"]:
        for i, layer in enumerate(self.layers):
            x = layer(x) if i == len(self.layers) - 1 else F.relu(layer(x))
        return x


class Detector(nn.Module):
    def __init__(self, patch: int = 4, dim: int = 32, queries: int = 6, classes: int = 5, depth: int = 2):
        super().__init__()
        self.embed = PatchEmbed(patch, 3, dim)
        self.pos = nn.Parameter(torch.zeros(1, 16, dim))
        block = nn.TransformerEncoderLayer(dim, 4, 2 * dim, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(block, depth)
        self.queries = nn.Parameter(torch.randn(queries, dim))
        cross = nn.TransformerDecoderLayer(dim, 4, 2 * dim, batch_first=True)
        self.decoder = nn.TransformerDecoder(cross, depth)
        self.cls = nn.Linear(dim, classes + 1)
        self.box = MLP(dim, dim, 4, 3)

    def forward(self, img: Float[Tensor, "b 3 H W"]) -> Output:
        tok = self.embed(img)
        b, h, w, d = tok.shape
        x = tok.flatten(1, 2) + interpolate_pos(self.pos, h, w)
        mem = self.encoder(x)
        q = self.queries.expand(b, -1, -1)
        hs = self.decoder(q, mem)
        return {"logits": self.cls(hs), "boxes": self.box(hs).sigmoid()}


def to_xyxy(b: Float[Tensor, "*n 4"]) -> Float[Tensor, "*n 4"]:
    cxcy, wh = b.split(2, dim=-1)
    return torch.cat([cxcy - wh / 2, cxcy + wh / 2], dim=-1)


def area(b: Float[Tensor, "n 4"]) -> Float[Tensor, "n"]:
    return (b[:, 2:] - b[:, :2]).clamp(min=0).prod(dim=1)


def giou(a: Float[Tensor, "n 4"], b: Float[Tensor, "m 4"]) -> Float[Tensor, "n m"]:
    lt = torch.max(a[:, None, :2], b[None, :, :2])
    rb = torch.min(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    union = area(a)[:, None] + area(b)[None] - inter
    hull = (torch.max(a[:, None, 2:], b[:, 2:]) - torch.min(a[:, None, :2], b[:, :2])).clamp(min=0).prod(-1)
    return inter / union - (hull - union) / hull


@torch.no_grad()
def match(logits: Float[Tensor, "q c"], boxes: Float[Tensor, "q 4"], target: Target) -> Int[Tensor, "g"]:
    cost = -logits.softmax(-1)[:, target["labels"]]
    cost = cost + 5 * torch.cdist(boxes, target["boxes"], p=1) - giou(to_xyxy(boxes), to_xyxy(target["boxes"]))
    chosen: list[int] = []
    for j in range(cost.shape[1]):
        col = cost[:, j].clone()
        col[chosen] = torch.inf
        chosen.append(int(col.argmin()))
    return torch.tensor(chosen, dtype=torch.long)


def detection_loss(out: Output, targets: list[Target], no_object: int) -> Float[Tensor, ""]:
    total = out["logits"].new_zeros(())
    for i, t in enumerate(targets):
        idx = match(out["logits"][i], out["boxes"][i], t)
        labels = torch.full((out["logits"].shape[1],), no_object)
        labels[idx] = t["labels"]
        ce = F.cross_entropy(out["logits"][i], labels)
        l1 = F.l1_loss(out["boxes"][i][idx], t["boxes"])
        total = total + ce + 5 * l1
    return total / len(targets)


def nms(boxes: Float[Tensor, "n 4"], scores: Float[Tensor, "n"], thr: float) -> Bool[Tensor, "n"]:
    order = scores.argsort(descending=True)
    keep = torch.ones_like(scores, dtype=torch.bool)
    iou = giou(boxes[order], boxes[order])
    for i in range(len(order)):
        if keep[i]:
            keep[i + 1 :] &= iou[i, i + 1 :] < thr
    out = torch.empty_like(keep)
    out[order] = keep
    return out


def decode(out: Output, thr: float = 0.1) -> list[dict[str, Tensor]]:
    results = []
    for logits, boxes in zip(out["logits"], out["boxes"]):
        score, label = logits.softmax(-1)[:, :-1].max(dim=-1)
        xyxy = to_xyxy(boxes)
        keep = nms(xyxy, score, 0.5) & (score > thr)
        results.append({"scores": score[keep], "labels": label[keep], "boxes": xyxy[keep]})
    return results


def example() -> None:
    model = Detector()
    out = model(torch.randn(2, 3, 16, 24))
    ts: list[Target] = [{"labels": torch.tensor([0, 1, 3]), "boxes": torch.rand(3, 4)} for _ in range(2)]
    detection_loss(out, ts, 5).backward()
    decode(out)


# run: example()
