import random

import torch
from jaxtyping import Float, Int
from torch import Tensor


def step(
    token: Int[Tensor, "batch"], state: Float[Tensor, "batch h"], w: Float[Tensor, "vocab h"]
) -> tuple[Float[Tensor, "batch vocab"], Float[Tensor, "batch h"]]:
    state = (state + w[token]).tanh()
    return state @ w.T, state


def decode(
    target: Int[Tensor, "batch length"], state: Float[Tensor, "batch h"], w: Float[Tensor, "vocab h"], ratio: float
) -> Float[Tensor, "batch steps vocab"]:
    token = target[:, 0]
    outputs = []
    for t in range(1, target.shape[1]):
        logits, state = step(token, state, w)  # E: shape
        outputs.append(logits)
        token = target[:, t] if random.random() < ratio else logits.argmax(dim=-1)  #! token = target[:, t] if random.random() < ratio else logits.argmax(dim=0)
    return torch.stack(outputs, dim=1)


# run: decode(torch.randint(0, 9, (4, 5)), torch.randn(4, 6), torch.randn(9, 6), 0.0)
