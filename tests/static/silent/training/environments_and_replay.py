"""Vectorised environments with auto-reset, wrappers that delegate, a replay buffer with n-step returns."""
from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from typing import Any, Callable, NamedTuple, Optional

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class Step(NamedTuple):
    obs: Tensor
    reward: Float[Tensor, " n"]
    done: Bool[Tensor, " n"]
    info: dict[str, Any] = {}


class Env(ABC):
    num: int
    obs_shape: tuple[int, ...]
    actions: int

    @abstractmethod
    def reset(self, mask: Optional[Tensor] = None) -> Tensor: ...

    @abstractmethod
    def step(self, action: Int[Tensor, " n"]) -> Step: ...


class Walk(Env):
    actions = 3

    def __init__(self, num: int, size: int = 5) -> None:
        self.num, self.size = num, size
        self.obs_shape = (2,)
        self.pos = torch.zeros(num, 2)

    def reset(self, mask=None):
        if mask is None:
            mask = torch.ones(self.num, dtype=torch.bool)
        self.pos[mask] = torch.rand(int(mask.sum()), 2) * 2 - 1
        return self.pos.clone()

    def step(self, action):
        self.pos = self.pos + (action[:, None] - 1) * 0.5
        done = (self.pos.abs() > self.size / 2).any(dim=1)
        reward = -self.pos.norm(dim=-1)
        obs = self.pos.clone()
        info = {}
        if done.any():
            info["final"] = obs[done]
            obs = self.reset(done)
        return Step(obs, reward, done, info)


class Wrapper(Env):
    def __init__(self, env: Env) -> None:
        self.env = env

    def __getattr__(self, name: str) -> Any:
        if name == "env":
            raise AttributeError(name)
        return getattr(self.env, name)

    def reset(self, mask=None):
        return self.observe(self.env.reset(mask))

    def step(self, action):
        s = self.env.step(action)
        return s._replace(obs=self.observe(s.obs))

    def observe(self, obs: Tensor) -> Tensor:
        return obs


class Stack(Wrapper):
    def __init__(self, env: Env, k: int) -> None:
        super().__init__(env)
        self.frames: deque[Tensor] = deque(maxlen=k)
        self.k = k

    @property
    def obs_shape(self):
        return (self.k, *self.env.obs_shape)

    def reset(self, mask=None):
        obs = self.env.reset(mask)
        self.frames.extend([obs] * self.k)
        return torch.stack(tuple(self.frames), 1)

    def observe(self, obs):
        self.frames.append(obs)
        return torch.stack(tuple(self.frames), dim=1)


class Flatten(Wrapper):
    def observe(self, obs):
        return obs.flatten(1)


class Replay:
    def __init__(self, capacity: int, obs: int, *, n_step: int = 1, gamma: float = 0.9) -> None:
        self.obs = torch.empty(capacity, obs)
        self.next = torch.empty_like(self.obs)
        self.action = torch.empty(capacity, dtype=torch.int64)
        self.reward, self.done = torch.empty(capacity), torch.empty(capacity, dtype=torch.bool)
        self.at = self.size = 0
        self.pending: deque[tuple[Tensor, ...]] = deque()
        self.n_step, self.gamma = n_step, gamma

    def add(self, *item: Tensor) -> None:
        self.pending.append(item)
        if len(self.pending) < self.n_step:
            return
        obs, action, *_ = self.pending[0]
        ret, alive = torch.zeros(len(action)), torch.ones(len(action))
        for i, (_, _, r, _, d) in enumerate(self.pending):
            ret = ret + self.gamma**i * alive * r
            alive = alive * ~d
        nxt = self.pending[-1][3]
        self.pending.popleft()
        idx = torch.arange(self.at, self.at + len(action)) % len(self.obs)
        self.obs[idx], self.next[idx] = obs, nxt
        self.action[idx], self.reward[idx], self.done[idx] = action, ret, alive == 0
        self.at = int(idx[-1] + 1) % len(self.obs)
        self.size = min(self.size + len(action), len(self.obs))

    def sample(self, b: int) -> tuple[Tensor, ...]:
        i = torch.randint(self.size, (b,))
        return tuple(t[i] for t in (self.obs, self.action, self.reward, self.next, self.done))


def gae(r: Float[Tensor, "t n"], v: Float[Tensor, "t+1 n"], d: Bool[Tensor, "t n"], g: float = 0.99, lam: float = 0.95):
    adv = torch.zeros_like(r)
    last = torch.zeros_like(r[0])
    for t in reversed(range(len(r))):
        alive = 1.0 - d[t].float()
        delta = r[t] + g * v[t + 1] * alive - v[t]
        adv[t] = last = delta + g * lam * alive * last
    return adv, adv + v[:-1]


def main() -> None:
    env: Env = Flatten(Stack(Walk(4), 3))
    obs = env.reset()
    obs = obs.flatten(1)
    width = obs.shape[1]
    assert width == 6 and env.num == 4 and env.env.obs_shape == (3, 2)
    q, value = nn.Linear(width, env.actions), nn.Linear(width, 1)
    buf = Replay(20, width, n_step=2)
    rs, vs, ds = [], [value(obs).squeeze(1)], []
    for t in range(8):
        a = q(obs).argmax(-1)
        s = env.step(a)
        buf.add(obs, a, s.reward, s.obs, s.done)
        obs = s.obs
        rs.append(s.reward), ds.append(s.done), vs.append(value(obs)[:, 0])
    adv, ret = gae(torch.stack(rs), torch.stack(vs).detach(), torch.stack(ds))
    assert adv.shape == ret.shape == (8, 4)
    o, a, r, n, d = buf.sample(7)
    with torch.no_grad():
        target = r + 0.81 * q(n).max(1).values * ~d
    td = q(o).gather(1, a.unsqueeze(1)).squeeze(1) - target
    assert td.shape == (7,) and buf.size == 20
    data = {"adv": adv.flatten(), "ret": ret.flatten()}
    for mb in torch.randperm(adv.numel()).split(10):
        batch = {k: v[mb] for k, v in data.items()}
        norm = (batch["adv"] - batch["adv"].mean()) / (batch["adv"].std() + 1e-8)
    assert norm.shape == (2,)


# run: main()
