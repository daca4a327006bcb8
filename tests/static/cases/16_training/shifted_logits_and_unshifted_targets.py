import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def next_token_loss(logits: Float[Tensor, "b s v"], tokens: Int[Tensor, "b s"]) -> Float[Tensor, ""]:
    pred = logits[:, :-1]
    target = tokens[:, 1:]  #! target = tokens
    return F.cross_entropy(pred.flatten(0, 1), target.flatten())  # E: shape


# run: next_token_loss(randn(2, 3, 5), randint(0, 5, (2, 3)))
