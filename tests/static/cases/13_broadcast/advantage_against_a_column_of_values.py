import torch
from jaxtyping import Float
from torch import Tensor


def baseline(values: Float[Tensor, "steps 1"], returns: Float[Tensor, "steps"]) -> Float[Tensor, ""]:
    adv = returns - values.squeeze(1)  #! adv = returns - values  # E: broadcast
    return (adv * adv).mean()


# quiet: (steps,) and (steps, 1) broadcast
# run: baseline(randn(5, 1), randn(5))
