from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


@dataclass
class Batch:
    obs: Float[Tensor, "batch obs"]
    action: Int[Tensor, "batch"]
    reward: Float[Tensor, "batch"]
    done: Bool[Tensor, "batch"]


def stack(items: list[tuple[Float[Tensor, "obs"], int, float, bool]]) -> Batch:
    obs = torch.stack([o for o, _, _, _ in items])
    return Batch(
        obs=obs,
        action=torch.tensor([a for _, a, _, _ in items]),
        reward=torch.tensor([r for _, _, r, _ in items]),
        done=torch.tensor([d for _, _, _, d in items]),
    )


def td_target(batch: Batch, next_value: Float[Tensor, "batch"], gamma: float) -> Float[Tensor, "batch"]:
    alive = (~batch.done).float()  #! alive = (~batch.reward).float()  # E: dtype
    return batch.reward + gamma * alive * next_value


# run: td_target(stack([(randn(3), 1, 0.5, True), (randn(3), 0, 0.1, False)]), randn(2), 0.9)
