import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def next_token_loss(
    logits: Float[Tensor, "batch seq vocab"], tokens: Int[Tensor, "batch seq"]
) -> Float[Tensor, ""]:
    predicted = logits[:, :-1].flatten(0, 1)
    targets = tokens[:, 1:].flatten()  #! targets = tokens.flatten()
    return F.cross_entropy(predicted, targets)  # E: shape


# run: next_token_loss(randn(2, 5, 7), randint(0, 7, (2, 5)))
