from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor


class Model(NamedTuple):
    A: Float[Tensor, "dx dx"]
    C: Float[Tensor, "dy dx"]


def weighted(
    particles: Float[Tensor, "n dx"], log_w: Float[Tensor, " n"]
) -> tuple[Float[Tensor, "n dx"], Float[Tensor, " n"]]:
    return particles, log_w - log_w.logsumexp(0)


def run(m: Model, steps: int, n: int) -> Float[Tensor, "steps dx"]:
    dx = m.A.shape[0]
    particles, log_w = torch.randn(n, dx), torch.zeros(n)
    estimates = torch.empty(steps, dx)
    for t in range(steps):
        particles, log_w = weighted(particles @ m.A.T, log_w)
        estimates[t] = (log_w.exp()[:, None] * particles).sum(0)  #! estimates[t] = (log_w.exp()[:, None] * particles).sum(1)  # E: shape
    return estimates


# run: run(Model(torch.eye(3), randn(2, 3)), 4, 9)
