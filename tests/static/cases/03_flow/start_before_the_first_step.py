import torch
from jaxtyping import Float
from torch import Tensor


def differences(x: Float[Tensor, "b t d"], start: Float[Tensor, "b d"]) -> Float[Tensor, "b t 2*d"]:
    steps = []
    for t in range(x.shape[1]):
        before = start if t == 0 else x[:, t - 1]  #! before = start[:, None] if t == 0 else x[:, t - 1]
        step = torch.cat([before, x[:, t] - before], dim=-1)  # E: shape
        steps.append(step)
    return torch.stack(steps, dim=1)


# run: differences(randn(2, 5, 3), randn(2, 3))
