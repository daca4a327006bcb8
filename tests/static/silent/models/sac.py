"""Soft actor-critic with twin critics, a replay buffer and automatic temperature."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.distributions import Normal

LOG_STD_MIN, LOG_STD_MAX = -5.0, 2.0


class Transition:
    def __init__(
        self,
        obs: Float[Tensor, "batch obs_dim"],
        action: Float[Tensor, "batch act_dim"],
        reward: Float[Tensor, "batch"],
        next_obs: Float[Tensor, "batch obs_dim"],
        done: Bool[Tensor, "batch"],
    ):
        self.obs, self.action, self.reward = obs, action, reward
        self.next_obs, self.done = next_obs, done


class ReplayBuffer:
    def __init__(self, capacity: int, obs_dim: int, act_dim: int):
        self.capacity = capacity
        self.obs = torch.zeros(capacity, obs_dim)
        self.action = torch.zeros(capacity, act_dim)
        self.reward = torch.zeros(capacity)
        self.next_obs = torch.zeros(capacity, obs_dim)
        self.done = torch.zeros(capacity, dtype=torch.bool)
        self.size = 0
        self.cursor = 0

    def add(
        self,
        obs: Float[Tensor, "obs_dim"],
        action: Float[Tensor, "act_dim"],
        reward: float,
        next_obs: Float[Tensor, "obs_dim"],
        done: bool,
    ) -> None:
        i = self.cursor
        self.obs[i] = obs
        self.action[i] = action
        self.reward[i] = reward
        self.next_obs[i] = next_obs
        self.done[i] = done
        self.cursor = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, batch: int) -> Transition:
        index = torch.randint(0, self.size, (batch,))
        return Transition(self.obs[index], self.action[index], self.reward[index], self.next_obs[index], self.done[index])


def mlp(sizes: list[int], activation: type[nn.Module] = nn.ReLU) -> nn.Sequential:
    layers: list[nn.Module] = []
    for a, b in zip(sizes[:-2], sizes[1:-1]):
        layers += [nn.Linear(a, b), activation()]
    layers.append(nn.Linear(sizes[-2], sizes[-1]))
    return nn.Sequential(*layers)


class Actor(nn.Module):
    def __init__(self, obs_dim: int, act_dim: int, hidden: int):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs_dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.mean = nn.Linear(hidden, act_dim)
        self.log_std = nn.Linear(hidden, act_dim)

    def forward(self, obs: Float[Tensor, "batch obs_dim"]) -> tuple[Float[Tensor, "batch act_dim"], Float[Tensor, "batch act_dim"]]:
        h = self.trunk(obs)
        log_std = self.log_std(h).clamp(LOG_STD_MIN, LOG_STD_MAX)
        return self.mean(h), log_std

    def sample(self, obs: Float[Tensor, "batch obs_dim"]) -> tuple[Float[Tensor, "batch act_dim"], Float[Tensor, "batch"]]:
        mean, log_std = self(obs)
        dist = Normal(mean, log_std.exp())
        raw = dist.rsample()
        action = torch.tanh(raw)
        log_prob = dist.log_prob(raw) - torch.log(1 - action.pow(2) + 1e-6)
        return action, log_prob.sum(dim=-1)


class TwinCritic(nn.Module):
    def __init__(self, obs_dim: int, act_dim: int, hidden: int):
        super().__init__()
        self.q1 = mlp([obs_dim + act_dim, hidden, hidden, 1])
        self.q2 = mlp([obs_dim + act_dim, hidden, hidden, 1])

    def forward(self, obs: Float[Tensor, "batch obs_dim"], action: Float[Tensor, "batch act_dim"]) -> tuple[Float[Tensor, "batch"], Float[Tensor, "batch"]]:
        x = torch.cat([obs, action], dim=-1)
        return self.q1(x).squeeze(-1), self.q2(x).squeeze(-1)


class SAC:
    def __init__(self, obs_dim: int, act_dim: int, hidden: int = 32, gamma: float = 0.99, tau: float = 0.005, lr: float = 3e-4):
        self.actor = Actor(obs_dim, act_dim, hidden)
        self.critic = TwinCritic(obs_dim, act_dim, hidden)
        self.target = copy.deepcopy(self.critic).requires_grad_(False)
        self.log_alpha = torch.zeros(1, requires_grad=True)
        self.target_entropy = -float(act_dim)
        self.gamma, self.tau = gamma, tau
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=lr)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=lr)
        self.alpha_opt = torch.optim.Adam([self.log_alpha], lr=lr)

    @property
    def alpha(self) -> Float[Tensor, "1"]:
        return self.log_alpha.exp().detach()

    @torch.no_grad()
    def act(self, obs: Float[Tensor, "obs_dim"], greedy: bool = False) -> Float[Tensor, "act_dim"]:
        if greedy:
            mean, _ = self.actor(obs.unsqueeze(0))
            return torch.tanh(mean).squeeze(0)
        action, _ = self.actor.sample(obs.unsqueeze(0))
        return action.squeeze(0)

    def critic_loss(self, batch: Transition) -> Float[Tensor, ""]:
        with torch.no_grad():
            next_action, next_log_prob = self.actor.sample(batch.next_obs)
            t1, t2 = self.target(batch.next_obs, next_action)
            value = torch.minimum(t1, t2) - self.alpha * next_log_prob
            backup = batch.reward + self.gamma * (~batch.done).float() * value
        q1, q2 = self.critic(batch.obs, batch.action)
        return F.mse_loss(q1, backup) + F.mse_loss(q2, backup)

    def actor_loss(self, batch: Transition) -> tuple[Float[Tensor, ""], Float[Tensor, "batch"]]:
        action, log_prob = self.actor.sample(batch.obs)
        q = torch.minimum(*self.critic(batch.obs, action))
        return (self.alpha * log_prob - q).mean(), log_prob

    def update(self, batch: Transition) -> dict[str, float]:
        critic_loss = self.critic_loss(batch)
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()
        actor_loss, log_prob = self.actor_loss(batch)
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()
        alpha_loss = -(self.log_alpha * (log_prob.detach() + self.target_entropy)).mean()
        self.alpha_opt.zero_grad()
        alpha_loss.backward()
        self.alpha_opt.step()
        for p, t in zip(self.critic.parameters(), self.target.parameters()):
            t.data.lerp_(p.data, self.tau)
        return {"critic": critic_loss.item(), "actor": actor_loss.item(), "alpha": alpha_loss.item()}


# run: buf = ReplayBuffer(50, 6, 3); agent = SAC(6, 3)
# run: [buf.add(randn(6), agent.act(randn(6)), 0.5, randn(6), False) for _ in range(9)]; agent.act(randn(6), True)
# run: agent.update(buf.sample(7))
