"""Deep Q-learning: replay, dueling heads, double targets, n-step returns."""

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Deque, List, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class Transition(NamedTuple):
    obs: Float[Tensor, "obs_dim"]
    action: int
    reward: float
    next_obs: Float[Tensor, "obs_dim"]
    done: bool


@dataclass
class Batch:
    obs: Float[Tensor, "batch obs_dim"]
    action: Int[Tensor, "batch"]
    reward: Float[Tensor, "batch"]
    next_obs: Float[Tensor, "batch obs_dim"]
    done: Bool[Tensor, "batch"]

    def __len__(self) -> int:
        return self.obs.shape[0]


class ReplayBuffer:
    def __init__(self, capacity: int):
        self.memory: Deque[Transition] = deque([], maxlen=capacity)

    def push(self, *args) -> None:
        self.memory.append(Transition(*args))

    def sample(self, batch_size: int) -> Batch:
        items: List[Transition] = random.sample(list(self.memory), batch_size)
        return Batch(
            obs=torch.stack([t.obs for t in items]),
            action=torch.tensor([t.action for t in items]),
            reward=torch.tensor([t.reward for t in items]),
            next_obs=torch.stack([t.next_obs for t in items]),
            done=torch.tensor([t.done for t in items], dtype=torch.bool),
        )

    def __len__(self) -> int:
        return len(self.memory)


class DuelingQ(nn.Module):
    def __init__(self, obs_dim: int, n_actions: int, hidden: int = 17):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs_dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.value = nn.Linear(hidden, 1)
        self.advantage = nn.Linear(hidden, n_actions)

    def forward(self, obs: Float[Tensor, "batch obs_dim"]) -> Float[Tensor, "batch n_actions"]:
        h = self.trunk(obs)
        value = self.value(h)
        advantage = self.advantage(h)
        return value + advantage - advantage.mean(dim=1, keepdim=True)


def double_q_target(
    online: DuelingQ, target: DuelingQ, batch: Batch, gamma: float
) -> Float[Tensor, "batch"]:
    with torch.no_grad():
        best = online(batch.next_obs).argmax(dim=1, keepdim=True)
        next_q = target(batch.next_obs).gather(1, best).squeeze(1)
        return batch.reward + gamma * next_q * (~batch.done).float()


def td_loss(
    q: Float[Tensor, "batch n_actions"], action: Int[Tensor, "batch"], target: Float[Tensor, "batch"]
) -> Float[Tensor, ""]:
    chosen = q.gather(1, action.unsqueeze(1)).squeeze(1)
    return F.smooth_l1_loss(chosen, target)


def priorities(
    q: Float[Tensor, "batch n_actions"], action: Int[Tensor, "batch"], target: Float[Tensor, "batch"], alpha: float
) -> Float[Tensor, "batch"]:
    error = (q[torch.arange(q.shape[0]), action] - target).abs()
    scaled = (error + 1e-6) ** alpha
    return scaled / scaled.sum()


def n_step_returns(
    rewards: Float[Tensor, "time envs"], bootstrap: Float[Tensor, "envs"], gamma: float
) -> Float[Tensor, "time envs"]:
    out = torch.empty_like(rewards)
    running = bootstrap
    for t in range(rewards.shape[0] - 1, -1, -1):
        running = rewards[t] + gamma * running
        out[t] = running
    return out


@dataclass
class Agent:
    obs_dim: int
    n_actions: int
    gamma: float = 0.99
    epsilon: float = 0.1
    tau: float = 0.01
    losses: List[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.online = DuelingQ(self.obs_dim, self.n_actions)
        self.target = DuelingQ(self.obs_dim, self.n_actions)
        self.target.load_state_dict(self.online.state_dict())
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)

    def act(self, obs: Float[Tensor, "obs_dim"]) -> int:
        if random.random() < self.epsilon:
            return random.randrange(self.n_actions)
        with torch.no_grad():
            q = self.online(obs.unsqueeze(0))
        return int(q.argmax(dim=1).item())

    def act_batch(self, obs: Float[Tensor, "envs obs_dim"]) -> Int[Tensor, "envs"]:
        greedy = self.online(obs).argmax(dim=-1)
        explore = torch.randint_like(greedy, self.n_actions)
        return torch.where(torch.rand(obs.shape[0]) < self.epsilon, explore, greedy)

    def update(self, batch: Batch) -> float:
        q = self.online(batch.obs)
        target = double_q_target(self.online, self.target, batch, self.gamma)
        loss = td_loss(q, batch.action, target)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.online.parameters(), 10.0)
        self.optimizer.step()
        with torch.no_grad():
            for p, tp in zip(self.online.parameters(), self.target.parameters()):
                tp.lerp_(p, self.tau)
        self.losses.append(loss.item())
        return self.losses[-1]


# run: agent = Agent(5, 3); buffer = ReplayBuffer(50)
# run: [buffer.push(randn(5), i % 3, 0.5, randn(5), i % 7 == 0) for i in range(20)]
# run: b = buffer.sample(11); agent.update(b); agent.act(randn(5)); agent.act_batch(randn(7, 5))
# run: priorities(agent.online(b.obs), b.action, b.reward, 0.6); n_step_returns(randn(5, 3), randn(3), 0.9)
