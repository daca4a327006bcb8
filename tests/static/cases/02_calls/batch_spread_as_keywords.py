import torch
from jaxtyping import Float, Int
from torch import Tensor


def step(*, obs: Float[Tensor, "b o"], act: Float[Tensor, "b a"], w: Float[Tensor, "o+a h"]) -> Float[Tensor, "b h"]:
    return torch.cat([obs, act], -1) @ w


def rollout(obs: Float[Tensor, "b o"], act: Float[Tensor, "b a"], w: Float[Tensor, "o+a h"]) -> Float[Tensor, "b h"]:
    batch = {"obs": obs, "act": act}
    batch["obs"] = (obs - obs.mean(0)) / obs.std(0)  #! batch["obs"] = obs.mean(0)
    return step(**batch, w=w)  # E: shape


# run: rollout(randn(4,3), randn(4,2), randn(5,6))
