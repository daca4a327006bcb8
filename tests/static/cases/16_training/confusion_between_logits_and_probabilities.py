import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def dice(pred: Float[Tensor, "b c h w"], target: Int[Tensor, "b h w"]) -> Float[Tensor, ""]:
    onehot = F.one_hot(target, pred.shape[1]).permute(0, 3, 1, 2)  #! onehot = F.one_hot(target, pred.shape[1])
    inter = (pred.softmax(1) * onehot).sum((0, 2, 3))  # E: shape
    return 1 - (2 * inter / (pred.softmax(1) + onehot).sum((0, 2, 3))).mean()  # e: shape


# run: dice(randn(2, 3, 5, 7), randint(0, 3, (2, 5, 7)))
