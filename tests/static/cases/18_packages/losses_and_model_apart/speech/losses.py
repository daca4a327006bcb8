import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def ctc(
    logp: Float[Tensor, "time batch vocab"],
    targets: Int[Tensor, "batch labels"],
    frames: Int[Tensor, "batch"],
    lengths: Int[Tensor, "batch"],
) -> Float[Tensor, ""]:
    return F.ctc_loss(logp, targets, frames, lengths)
