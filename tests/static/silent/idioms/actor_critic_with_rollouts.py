"""An actor-critic with a rollout buffer, generalised advantages and a protocol for environments."""
from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class StepResult(NamedTuple):
    obs: Float[Tensor, "envs obs"]
    reward: Float[Tensor, "envs"]
    done: Bool[Tensor, "envs"]


@runtime_checkable
class VecEnv(Protocol):
    num_envs: int
    obs_dim: int
    num_actions: int

    def reset(self) -> Float[Tensor, "envs obs"]: ...

    def step(self, action: Int[Tensor, "envs"]) -> StepResult: ...


class Drift:
    """A toy environment: each action pushes the state along one axis."""

    def __init__(self, num_envs: int, obs_dim: int) -> None:
        self.num_envs, self.obs_dim, self.num_actions = num_envs, obs_dim, obs_dim
        self.state = torch.zeros(num_envs, obs_dim)

    def reset(self) -> Float[Tensor, "envs obs"]:
        self.state = torch.randn(self.num_envs, self.obs_dim)
        return self.state

    def step(self, action: Int[Tensor, "envs"]) -> StepResult:
        push = F.one_hot(action, self.num_actions).float()
        self.state = 0.9 * self.state + push
        reward = -self.state.square().mean(-1)
        return StepResult(self.state, reward, reward < -5)


@dataclass
class Batch:
    obs: Float[Tensor, "n obs"]
    action: Int[Tensor, "n"]
    logp: Float[Tensor, "n"]
    adv: Float[Tensor, "n"]
    ret: Float[Tensor, "n"]

    def __len__(self) -> int:
        return self.obs.shape[0]

    def minibatches(self, size: int) -> Iterator[Batch]:
        for idx in torch.randperm(len(self)).split(size):
            yield Batch(self.obs[idx], self.action[idx], self.logp[idx], self.adv[idx], self.ret[idx])

    def normalised(self) -> Batch:
        adv = (self.adv - self.adv.mean()) / (self.adv.std() + 1e-8)
        return Batch(self.obs, self.action, self.logp, adv, self.ret)


class Rollout:
    def __init__(self, horizon: int, envs: int, obs_dim: int) -> None:
        self.obs = torch.zeros(horizon, envs, obs_dim)
        self.action = torch.zeros(horizon, envs, dtype=torch.long)
        self.logp = torch.zeros(horizon, envs)
        self.reward = torch.zeros(horizon, envs)
        self.value = torch.zeros(horizon + 1, envs)
        self.done = torch.zeros(horizon, envs, dtype=torch.bool)
        self.t = 0

    def add(self, obs: Float[Tensor, "envs obs_dim"], action: Int[Tensor, "envs"], logp: Float[Tensor, "envs"], value: Float[Tensor, "envs"], result: StepResult) -> None:
        self.obs[self.t] = obs
        self.action[self.t] = action
        self.logp[self.t] = logp
        self.value[self.t] = value
        self.reward[self.t] = result.reward
        self.done[self.t] = result.done
        self.t += 1

    def finish(self, last: Float[Tensor, "envs"], gamma: float, lam: float) -> Batch:
        self.value[-1] = last
        live = (~self.done).float()
        adv = torch.zeros_like(self.reward)
        running = torch.zeros_like(last)
        for t in reversed(range(self.reward.shape[0])):
            delta = self.reward[t] + gamma * self.value[t + 1] * live[t] - self.value[t]
            running = delta + gamma * lam * live[t] * running
            adv[t] = running
        ret = adv + self.value[:-1]
        return Batch(self.obs.flatten(0, 1), self.action.flatten(), self.logp.flatten(), adv.flatten(), ret.flatten())


class ActorCritic(nn.Module):
    def __init__(self, obs_dim: int, actions: int, hidden: int = 32) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, actions)
        self.v = nn.Linear(hidden, 1)

    def forward(self, obs: Float[Tensor, "n obs_dim"]) -> tuple[Float[Tensor, "n actions"], Float[Tensor, "n"]]:
        h = self.body(obs)
        return self.pi(h), self.v(h).squeeze(-1)

    @torch.no_grad()
    def act(self, obs: Float[Tensor, "n obs_dim"]) -> tuple[Int[Tensor, "n"], Float[Tensor, "n"], Float[Tensor, "n"]]:
        logits, value = self(obs)
        dist = torch.distributions.Categorical(logits=logits)
        action = dist.sample()
        return action, dist.log_prob(action), value


def ppo_loss(net: ActorCritic, b: Batch, clip: float) -> Float[Tensor, ""]:
    logits, value = net(b.obs)
    logp_all = logits.log_softmax(-1)
    logp = logp_all.gather(-1, b.action[:, None]).squeeze(-1)
    ratio = (logp - b.logp).exp()
    policy = -torch.min(ratio * b.adv, ratio.clamp(1 - clip, 1 + clip) * b.adv).mean()
    entropy = -(logp_all.exp() * logp_all).sum(-1).mean()
    return policy + 0.5 * F.mse_loss(value, b.ret) - 0.01 * entropy


def train(env: VecEnv, horizon: int, updates: int) -> list[float]:
    net = ActorCritic(env.obs_dim, env.num_actions)
    opt = torch.optim.Adam(net.parameters(), lr=3e-4)
    history: deque[float] = deque(maxlen=10)
    obs = env.reset()
    for _ in range(updates):
        roll = Rollout(horizon, env.num_envs, env.obs_dim)
        for _ in range(horizon):
            action, logp, value = net.act(obs)
            result = env.step(action)
            roll.add(obs, action, logp, value, result)
            obs = result.obs
        batch = roll.finish(net.act(obs)[2], 0.99, 0.95).normalised()
        for mini in batch.minibatches(8):
            loss = ppo_loss(net, mini, 0.2)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            opt.step()
        history.append(float(roll.reward.mean()))
    return list(history)


# run: train(Drift(3, 4), 5, 2)
