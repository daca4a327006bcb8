"""Set prediction: a transformer over image features, boxes and an auction-free matcher."""

from typing import Dict, List, Tuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


def box_cxcywh_to_xyxy(x: Float[Tensor, "*n 4"]) -> Float[Tensor, "*n 4"]:
    x_c, y_c, w, h = x.unbind(-1)
    b = [(x_c - 0.5 * w), (y_c - 0.5 * h), (x_c + 0.5 * w), (y_c + 0.5 * h)]
    return torch.stack(b, dim=-1)


def box_area(boxes: Float[Tensor, "n 4"]) -> Float[Tensor, "n"]:
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def box_iou(
    boxes1: Float[Tensor, "n 4"], boxes2: Float[Tensor, "m 4"]
) -> Tuple[Float[Tensor, "n m"], Float[Tensor, "n m"]]:
    area1 = box_area(boxes1)
    area2 = box_area(boxes2)
    lt = torch.max(boxes1[:, None, :2], boxes2[:, :2])
    rb = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, :, 0] * wh[:, :, 1]
    union = area1[:, None] + area2 - inter
    return inter / union, union


def generalized_box_iou(boxes1: Float[Tensor, "n 4"], boxes2: Float[Tensor, "m 4"]) -> Float[Tensor, "n m"]:
    iou, union = box_iou(boxes1, boxes2)
    lt = torch.min(boxes1[:, None, :2], boxes2[:, :2])
    rb = torch.max(boxes1[:, None, 2:], boxes2[:, 2:])
    wh = (rb - lt).clamp(min=0)
    area = wh[:, :, 0] * wh[:, :, 1]
    return iou - (area - union) / area


def nms(boxes: Float[Tensor, "n 4"], scores: Float[Tensor, "n"], threshold: float) -> Int[Tensor, "kept"]:
    order = scores.argsort(descending=True)
    keep: List[Tensor] = []
    while order.numel() > 0:
        i = order[0]
        keep.append(i)
        if order.numel() == 1:
            break
        iou, _ = box_iou(boxes[i : i + 1], boxes[order[1:]])
        order = order[1:][iou[0] <= threshold]
    return torch.stack(keep)


class MLP(nn.Module):
    def __init__(self, input_dim: int, hidden_dim: int, output_dim: int, num_layers: int):
        super().__init__()
        self.num_layers = num_layers
        h = [hidden_dim] * (num_layers - 1)
        self.layers = nn.ModuleList(nn.Linear(n, k) for n, k in zip([input_dim] + h, h + [output_dim]))

    def forward(self, x: Float[Tensor, "*batch input_dim"]) -> Float[Tensor, "*batch output_dim"]:
        for i, layer in enumerate(self.layers):
            x = F.relu(layer(x)) if i < self.num_layers - 1 else layer(x)
        return x


class DETR(nn.Module):
    def __init__(self, num_classes: int, num_queries: int, hidden_dim: int = 24):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2, padding=1)
        )
        self.conv = nn.Conv2d(16, hidden_dim, 1)
        self.transformer = nn.Transformer(hidden_dim, 4, 1, 1, 32, batch_first=True)
        self.class_embed = nn.Linear(hidden_dim, num_classes + 1)
        self.bbox_embed = MLP(hidden_dim, hidden_dim, 4, 3)
        self.query_pos = nn.Parameter(torch.rand(num_queries, hidden_dim))
        self.row_embed = nn.Parameter(torch.rand(50, hidden_dim // 2))
        self.col_embed = nn.Parameter(torch.rand(50, hidden_dim // 2))

    def forward(self, images: Float[Tensor, "batch 3 height width"]) -> Dict[str, Tensor]:
        h = self.conv(self.backbone(images))
        H, W = h.shape[-2:]
        pos = torch.cat(
            [
                self.col_embed[:W].unsqueeze(0).repeat(H, 1, 1),
                self.row_embed[:H].unsqueeze(1).repeat(1, W, 1),
            ],
            dim=-1,
        ).flatten(0, 1)
        memory = pos + h.flatten(2).permute(0, 2, 1)
        queries = self.query_pos.unsqueeze(0).expand(images.shape[0], -1, -1)
        out = self.transformer(memory, queries)
        return {"pred_logits": self.class_embed(out), "pred_boxes": self.bbox_embed(out).sigmoid()}


@torch.no_grad()
def match(
    logits: Float[Tensor, "queries classes"],
    boxes: Float[Tensor, "queries 4"],
    target_labels: Int[Tensor, "targets"],
    target_boxes: Float[Tensor, "targets 4"],
) -> Int[Tensor, "targets"]:
    cost_class = -logits.softmax(-1)[:, target_labels]
    cost_bbox = torch.cdist(boxes, target_boxes, p=1)
    cost_giou = -generalized_box_iou(box_cxcywh_to_xyxy(boxes), box_cxcywh_to_xyxy(target_boxes))
    cost = 5 * cost_bbox + cost_class + 2 * cost_giou
    chosen = []
    for j in range(cost.shape[1]):
        column = cost[:, j].clone()
        for used in chosen:
            column[used] = float("inf")
        chosen.append(int(column.argmin()))
    return torch.tensor(chosen)


def set_loss(outputs: Dict[str, Tensor], targets: List[Dict[str, Tensor]], no_object: int) -> Float[Tensor, ""]:
    total = torch.zeros(())
    for logits, boxes, target in zip(outputs["pred_logits"], outputs["pred_boxes"], targets):
        index = match(logits, boxes, target["labels"], target["boxes"])
        classes = torch.full(logits.shape[:1], no_object)
        classes[index] = target["labels"]
        total = total + F.cross_entropy(logits, classes)
        src = boxes[index]
        total = total + F.l1_loss(src, target["boxes"])
        giou = torch.diag(generalized_box_iou(box_cxcywh_to_xyxy(src), box_cxcywh_to_xyxy(target["boxes"])))
        total = total + (1 - giou).sum()
    return total / len(targets)


# run: m = DETR(5, 7); out = m(randn(2, 3, 20, 28))
# run: t = [{"labels": randint(0, 5, (3,)), "boxes": torch.rand(3, 4)} for _ in range(2)]
# run: set_loss(out, t, 5); nms(box_cxcywh_to_xyxy(torch.rand(6, 4)), torch.rand(6), 0.5)
