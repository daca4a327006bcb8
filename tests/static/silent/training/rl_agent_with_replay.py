"""Actor-critic with a replay buffer, running normalisation, target networks and an episode loop."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, fields
from typing import Deque, NamedTuple, Protocol, runtime_checkable

import torch
import torch.nn as nn
from jaxtyping import Bool, Float, Float32, Int
from torch import Tensor
from torch.distributions import Categorical, Normal


@runtime_checkable
class Env(Protocol):
    obs_dim: int
    act_dim: int

    def reset(self) -> Float[Tensor, "o"]: ...
    def step(self, action: Float[Tensor, "a"]) -> tuple[Float[Tensor, "o"], float, bool]: ...


class PointMass:
    obs_dim, act_dim = 4, 2

    def __init__(self) -> None:
        self.state = torch.zeros(4)
        self.t = 0

    def reset(self) -> Float[Tensor, "o"]:
        self.state = torch.randn(4)
        self.t = 0
        return self.state.clone()

    def step(self, action: Float[Tensor, "a"]) -> tuple[Float[Tensor, "o"], float, bool]:
        pos, vel = self.state[:2], self.state[2:]
        vel = vel + 0.1 * action.clamp(-1, 1)
        pos = pos + 0.1 * vel
        self.state = torch.cat([pos, vel])
        self.t += 1
        return self.state.clone(), -float(pos.norm()), self.t >= 5


class Batch(NamedTuple):
    obs: Float[Tensor, "b o"]
    act: Float[Tensor, "b a"]
    rew: Float[Tensor, "b"]
    nxt: Float[Tensor, "b o"]
    done: Float[Tensor, "b"]


class Replay:
    def __init__(self, capacity: int, obs_dim: int, act_dim: int):
        self.obs = torch.zeros(capacity, obs_dim)
        self.nxt = torch.zeros(capacity, obs_dim)
        self.act = torch.zeros(capacity, act_dim)
        self.rew = torch.zeros(capacity)
        self.done = torch.zeros(capacity)
        self.capacity, self.size, self.ptr = capacity, 0, 0

    def __len__(self) -> int:
        return self.size

    def add(self, o: Float[Tensor, "o"], a: Float[Tensor, "a"], r: float, n: Float[Tensor, "o"], d: bool) -> None:
        i = self.ptr
        self.obs[i], self.act[i], self.nxt[i] = o, a, n
        self.rew[i], self.done[i] = r, float(d)
        self.ptr = (self.ptr + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n: int) -> Batch:
        idx = torch.randint(0, self.size, (n,))
        return Batch(self.obs[idx], self.act[idx], self.rew[idx], self.nxt[idx], self.done[idx])


class RunningStats:
    def __init__(self, dim: int):
        self.mean = torch.zeros(dim)
        self.m2 = torch.zeros(dim)
        self.n = 0

    def update(self, x: Float[Tensor, "dim"]) -> None:
        self.n += 1
        delta = x - self.mean
        self.mean = self.mean + delta / self.n
        self.m2 = self.m2 + delta * (x - self.mean)

    def __call__(self, x: Float[Tensor, "*b dim"]) -> Float[Tensor, "*b dim"]:
        if self.n < 2:
            return x
        return (x - self.mean) / (self.m2 / (self.n - 1) + 1e-8).sqrt()


def net(i: int, o: int, hidden: tuple[int, ...] = (32, 32)) -> nn.Sequential:
    sizes = (i, *hidden)
    layers: list[nn.Module] = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(sizes[-1], o))


class Actor(nn.Module):
    def __init__(self, obs_dim: int, act_dim: int):
        super().__init__()
        self.trunk = net(obs_dim, 2 * act_dim)

    def forward(self, obs: Float[Tensor, "*b obs_dim"]) -> Normal:
        mu, log_std = self.trunk(obs).chunk(2, dim=-1)
        return Normal(mu, log_std.clamp(-5, 2).exp())

    def sample(self, obs: Float[Tensor, "*b obs_dim"]) -> tuple[Float[Tensor, "*b act_dim"], Float[Tensor, "*b"]]:
        dist = self(obs)
        raw = dist.rsample()
        act = torch.tanh(raw)
        logp = dist.log_prob(raw).sum(-1) - torch.log(1 - act.pow(2) + 1e-6).sum(-1)
        return act, logp


class TwinQ(nn.Module):
    def __init__(self, obs_dim: int, act_dim: int):
        super().__init__()
        self.heads = nn.ModuleList([net(obs_dim + act_dim, 1) for _ in range(2)])

    def forward(self, obs: Float[Tensor, "b obs_dim"], act: Float[Tensor, "b act_dim"]) -> Float[Tensor, "2 b"]:
        x = torch.cat([obs, act], dim=-1)
        return torch.stack([q(x).squeeze(-1) for q in self.heads])


@dataclass
class Losses:
    critic: Float[Tensor, ""]
    actor: Float[Tensor, ""]

    def log(self) -> dict[str, float]:
        return {f.name: getattr(self, f.name).item() for f in fields(self)}


class Agent:
    def __init__(self, env: Env, gamma: float = 0.99, tau: float = 0.01, alpha: float = 0.1):
        self.actor = Actor(env.obs_dim, env.act_dim)
        self.critic = TwinQ(env.obs_dim, env.act_dim)
        self.target = TwinQ(env.obs_dim, env.act_dim)
        self.target.load_state_dict(self.critic.state_dict())
        self.norm = RunningStats(env.obs_dim)
        self.gamma, self.tau, self.alpha = gamma, tau, alpha
        self.opt_a = torch.optim.Adam(self.actor.parameters(), 1e-3)
        self.opt_c = torch.optim.Adam(self.critic.parameters(), 1e-3)

    def act(self, obs: Float[Tensor, "o"], *, greedy: bool = False) -> Float[Tensor, "a"]:
        with torch.no_grad():
            x = self.norm(obs)
            if greedy:
                return torch.tanh(self.actor(x).mean)
            a, _ = self.actor.sample(x.unsqueeze(0))
            return a.squeeze(0)

    def learn(self, batch: Batch) -> Losses:
        obs, nxt = self.norm(batch.obs), self.norm(batch.nxt)
        with torch.no_grad():
            a2, logp2 = self.actor.sample(nxt)
            q2 = self.target(nxt, a2).amin(dim=0) - self.alpha * logp2
            y = batch.rew + self.gamma * (1 - batch.done) * q2
        q = self.critic(obs, batch.act)
        critic = (q - y).pow(2).mean()
        self.opt_c.zero_grad()
        critic.backward()
        self.opt_c.step()
        a, logp = self.actor.sample(obs)
        actor = (self.alpha * logp - self.critic(obs, a).amin(0)).mean()
        self.opt_a.zero_grad()
        actor.backward()
        self.opt_a.step()
        with torch.no_grad():
            for t, s in zip(self.target.parameters(), self.critic.parameters()):
                t.mul_(1 - self.tau).add_(self.tau * s)
        return Losses(critic.detach(), actor.detach())


def run(episodes: int = 4) -> list[float]:
    torch.manual_seed(0)
    env = PointMass()
    agent, replay = Agent(env), Replay(100, env.obs_dim, env.act_dim)
    recent: Deque[float] = deque(maxlen=10)
    for _ in range(episodes):
        obs, total, done = env.reset(), 0.0, False
        while not done:
            agent.norm.update(obs)
            action = agent.act(obs) if len(replay) > 4 else torch.rand(env.act_dim) * 2 - 1
            nxt, reward, done = env.step(action)
            replay.add(obs, action, reward, nxt, done)
            obs, total = nxt, total + reward
            if len(replay) >= 8:
                print(agent.learn(replay.sample(8)).log())
        recent.append(total)
    return list(recent)


# run: run(2)
