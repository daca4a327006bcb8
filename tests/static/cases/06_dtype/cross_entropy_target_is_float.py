import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def language_loss(
    logits: Float[Tensor, "b s vocab"], tokens: Int[Tensor, "b s"]
) -> Float[Tensor, ""]:
    flat = logits.flatten(0, 1)
    return F.cross_entropy(flat, tokens.flatten())  #! return F.cross_entropy(flat, tokens.float().flatten())  # E: dtype


# run: language_loss(randn(2, 3, 5), randint(0, 5, (2, 3)))
