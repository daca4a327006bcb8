import torch
from jaxtyping import Bool, Float
from torch import Tensor


def attend(
    q: Float[Tensor, "b t d"], k: Float[Tensor, "b t d"], mask: Bool[Tensor, "t t"] | None
) -> Float[Tensor, "b t t"]:
    scores = q @ k.mT
    return (scores if mask is None else scores.masked_fill(~mask, -torch.inf)).softmax(-1)


def weights(x: Float[Tensor, "b t d"], window: int) -> Float[Tensor, "b t t"]:
    t = x.shape[1]
    mask = None
    if window < 128:
        mask = torch.ones(t, t, dtype=torch.bool).tril()  #! mask = torch.ones(t, t).tril()
    return attend(x, x, mask)  # E: dtype


# run: weights(randn(2, 5, 3), 4)
# run: weights(randn(2, 5, 3), 200)
