from abc import ABC, abstractmethod

from jaxtyping import Float
from torch import Tensor, nn


class Critic(nn.Module, ABC):
    @abstractmethod
    def value(self, obs: Float[Tensor, "envs obs"]) -> Float[Tensor, "envs"]: ...

    def td_error(
        self, obs: Float[Tensor, "envs obs"], nxt: Float[Tensor, "envs obs"], reward: Float[Tensor, "envs"]
    ) -> Float[Tensor, "envs"]:
        return reward + 0.99 * self.value(nxt) - self.value(obs)
