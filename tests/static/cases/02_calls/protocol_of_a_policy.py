from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor


@runtime_checkable
class Policy(Protocol):
    def __call__(self, obs: Float[Tensor, "envs obs"]) -> Float[Tensor, "envs act"]: ...


def rollout(
    policy: Policy, obs: Float[Tensor, "time envs obs"]
) -> Float[Tensor, "time envs act"]:
    return torch.stack([policy(o) for o in obs])  #! return torch.stack([policy(o.T) for o in obs])  # E: shape


# run: rollout(lambda o: o[:, :2], randn(3, 5, 7))
