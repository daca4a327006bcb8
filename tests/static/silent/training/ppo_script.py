"""Proximal policy optimisation: rollouts from several environments, advantages, minibatches."""
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import NamedTuple, Protocol

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.distributions import Categorical


class VecEnv(Protocol):
    n: int

    def reset(self) -> Float[Tensor, "n obs"]: ...
    def step(self, action: Int[Tensor, "n"]) -> tuple[Float[Tensor, "n obs"], Float[Tensor, "n"], Bool[Tensor, "n"]]: ...


class RandomEnv:
    def __init__(self, n: int, obs_dim: int) -> None:
        self.n, self.obs_dim = n, obs_dim

    def reset(self) -> Float[Tensor, "n obs"]:
        return torch.randn(self.n, self.obs_dim)

    def step(self, action: Int[Tensor, "n"]) -> tuple[Float[Tensor, "n obs"], Float[Tensor, "n"], Bool[Tensor, "n"]]:
        return torch.randn(self.n, self.obs_dim), torch.rand(self.n), torch.rand(self.n) < 0.1


class Output(NamedTuple):
    logits: Float[Tensor, "batch actions"]
    value: Float[Tensor, "batch"]


class Agent(nn.Module):
    def __init__(self, obs_dim: int, n_actions: int, hidden: int = 32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, n_actions)
        self.v = nn.Linear(hidden, 1)

    def forward(self, obs: Float[Tensor, "batch obs_dim"]) -> Output:
        h = self.body(obs)
        return Output(self.pi(h), self.v(h).squeeze(-1))

    @torch.no_grad()
    def act(self, obs: Float[Tensor, "batch obs_dim"]) -> tuple[Int[Tensor, "batch"], Float[Tensor, "batch"], Float[Tensor, "batch"]]:
        logits, value = self(obs)
        dist = Categorical(logits=logits)
        action = dist.sample()
        return action, dist.log_prob(action), value


@dataclass
class Rollout:
    obs: Float[Tensor, "t n obs"]
    action: Int[Tensor, "t n"]
    logp: Float[Tensor, "t n"]
    reward: Float[Tensor, "t n"]
    value: Float[Tensor, "t n"]
    done: Bool[Tensor, "t n"]


def collect(env: RandomEnv, agent: Agent, horizon: int) -> tuple[Rollout, Float[Tensor, "n"]]:
    obs = env.reset()
    steps: list[tuple[Tensor, ...]] = []
    observations, actions, logps, rewards, values, dones = [], [], [], [], [], []
    for _ in range(horizon):
        action, logp, value = agent.act(obs)
        nxt, reward, done = env.step(action)
        observations.append(obs)
        actions.append(action)
        logps.append(logp)
        rewards.append(reward)
        values.append(value)
        dones.append(done)
        obs = nxt
    rollout = Rollout(
        torch.stack(observations), torch.stack(actions), torch.stack(logps),
        torch.stack(rewards), torch.stack(values), torch.stack(dones),
    )
    return rollout, agent(obs).value


def gae(r: Rollout, last: Float[Tensor, "n"], gamma: float = 0.99, lam: float = 0.95) -> Float[Tensor, "t n"]:
    adv = torch.zeros_like(r.reward)
    running = torch.zeros_like(last)
    values = torch.cat([r.value, last[None]], dim=0)
    for t in reversed(range(len(r.reward))):
        alive = (~r.done[t]).float()
        delta = r.reward[t] + gamma * values[t + 1] * alive - values[t]
        running = delta + gamma * lam * alive * running
        adv[t] = running
    return adv


@dataclass
class Batch:
    obs: Float[Tensor, "m obs"]
    action: Int[Tensor, "m"]
    logp: Float[Tensor, "m"]
    adv: Float[Tensor, "m"]
    ret: Float[Tensor, "m"]


def minibatches(r: Rollout, adv: Float[Tensor, "t n"], size: int) -> Iterator[Batch]:
    flat = Batch(r.obs.flatten(0, 1), r.action.flatten(), r.logp.flatten(), adv.flatten(), (adv + r.value).flatten())
    for idx in torch.randperm(len(flat.adv)).split(size):
        yield Batch(*(getattr(flat, f.name)[idx] for f in fields(flat)))


def ppo_loss(agent: Agent, b: Batch, clip: float = 0.2) -> Float[Tensor, ""]:
    logits, value = agent(b.obs)
    dist = Categorical(logits=logits)
    ratio = (dist.log_prob(b.action) - b.logp).exp()
    adv = (b.adv - b.adv.mean()) / (b.adv.std() + 1e-8)
    surrogate = torch.minimum(ratio * adv, ratio.clamp(1 - clip, 1 + clip) * adv)
    v_loss = F.mse_loss(value, b.ret)
    return -surrogate.mean() + 0.5 * v_loss - 0.01 * dist.entropy().mean()


def example() -> None:
    env, agent = RandomEnv(4, 3), Agent(3, 2)
    rollout, last = collect(env, agent, 5)
    adv = gae(rollout, last)
    for batch in minibatches(rollout, adv, 10):
        ppo_loss(agent, batch).detach()


# run: example()
