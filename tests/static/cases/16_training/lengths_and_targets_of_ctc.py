import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def ctc(
    scores: Float[Tensor, "batch time vocab"],
    frames: Int[Tensor, "batch"],
    targets: Int[Tensor, "batch chars"],
    lengths: Int[Tensor, "batch"],
) -> Float[Tensor, ""]:
    return F.ctc_loss(scores.transpose(0, 1), targets, frames, lengths)  #! return F.ctc_loss(scores.transpose(0, 1), frames, targets, lengths)  # E: shape


# run: ctc(randn(3, 12, 6).log_softmax(-1), torch.full((3,), 12), torch.randint(1, 6, (3, 4)), torch.full((3,), 4))
