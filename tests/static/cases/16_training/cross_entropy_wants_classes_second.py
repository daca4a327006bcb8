import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def lm_loss(logits: Float[Tensor, "b s v"], targets: Int[Tensor, "b s"]) -> Float[Tensor, ""]:
    return F.cross_entropy(logits.transpose(1, 2), targets)  #! return F.cross_entropy(logits, targets)  # E: shape


# run: lm_loss(randn(2, 3, 5), randint(0, 5, (2, 3)))
