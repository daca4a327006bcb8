import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def link_loss(score: Float[Tensor, "edges"], label: Int[Tensor, "edges"]) -> Float[Tensor, ""]:
    return F.binary_cross_entropy_with_logits(score, label.float())  #! return F.binary_cross_entropy_with_logits(score, label)  # E: dtype


# run: link_loss(randn(5), randint(0, 2, (5,)))
