import random
from collections import deque

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class Replay:
    def __init__(self, capacity: int) -> None:
        self.memory = deque(maxlen=capacity)

    def push(self, state: Float[Tensor, " obs"], action: int, reward: float, then: Float[Tensor, " obs"]) -> None:
        self.memory.append((state, action, reward, then))

    def sample(self, n: int):
        states, actions, rewards, then = zip(*random.sample(self.memory, n))
        states = torch.stack(states)  #! states = torch.cat(states)
        return states, torch.tensor(actions), torch.tensor(rewards), torch.stack(then)


class QNet(nn.Module):
    def __init__(self, obs: int, actions: int) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, actions))

    def forward(self, x: Float[Tensor, "*batch obs"]) -> Float[Tensor, "*batch actions"]:
        return self.net(x)


def td_loss(net: QNet, replay: Replay, n: int) -> Float[Tensor, ""]:
    states, actions, rewards, then = replay.sample(n)
    q = net(states).gather(1, actions[:, None]).squeeze(1)  # E: shape
    return F.smooth_l1_loss(q, rewards + net(then).max(dim=1).values.detach())


def main() -> None:
    replay = Replay(50)
    for _ in range(20):
        replay.push(torch.randn(4), random.randrange(3), random.random(), torch.randn(4))
    td_loss(QNet(4, 3), replay, 8).backward()


# run: main()
