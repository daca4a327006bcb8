import torch
from jaxtyping import Float
from torch import Tensor


def giou_loss(pred: Float[Tensor, "n 4"], target: Float[Tensor, "n 4"]) -> Float[Tensor, ""]:
    px1, py1, px2, py2 = pred.unbind(-1)
    tx1, ty1, tx2, ty2 = target.unbind(-1)
    inter_w = (torch.min(px2, tx2) - torch.max(px1, tx1)).clamp(min=0)
    inter_h = (torch.min(py2, ty2) - torch.max(py1, ty1)).clamp(min=0)
    inter = inter_w * inter_h
    area_p = (px2 - px1) * (py2 - py1)
    area_t = (target[:, 2:] - target[:, :2]).prod(-1)  #! area_t = (target[:, 2:] - target[:, :2]).prod(0)
    union = area_p + area_t - inter  # E: shape
    enc = (torch.max(px2, tx2) - torch.min(px1, tx1)) * (torch.max(py2, ty2) - torch.min(py1, ty1))
    giou = inter / union - (enc - union) / enc
    return (1 - giou).mean()


# run: giou_loss(torch.rand(6, 4), torch.rand(6, 4))
