import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def worst(logits: Float[Tensor, "b 1"], target: Float[Tensor, "b 1"]) -> list[float]:
    losses = F.mse_loss(logits, target, reduction="none")  #! losses = F.mse_loss(logits, target)
    return sorted(loss.item() for loss in losses)  # E: shape


# run: worst(torch.zeros(2, 1), torch.ones(2, 1))
