"""Proximal policy optimisation with vectorised environments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.distributions import Categorical


@dataclass(frozen=True)
class Config:
    gamma: float = 0.99
    lam: float = 0.95
    clip: float = 0.2
    epochs: int = 2
    minibatches: int = 3
    value_coef: float = 0.5
    entropy_coef: float = 0.01


def layer_init(layer: nn.Linear, std: float = 2**0.5, bias_const: float = 0.0) -> nn.Linear:
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class ActorCritic(nn.Module):
    def __init__(self, obs_dim: int, n_act: int, width: int = 19) -> None:
        super().__init__()
        self.critic = nn.Sequential(
            layer_init(nn.Linear(obs_dim, width)), nn.Tanh(), layer_init(nn.Linear(width, 1), std=1.0)
        )
        self.actor = nn.Sequential(
            layer_init(nn.Linear(obs_dim, width)), nn.Tanh(), layer_init(nn.Linear(width, n_act), std=0.01)
        )

    def value(self, obs: Float[Tensor, "*batch obs_dim"]) -> Float[Tensor, "*batch"]:
        return self.critic(obs).squeeze(-1)

    def logits(self, obs: Float[Tensor, "*batch obs_dim"]) -> Float[Tensor, "*batch n_act"]:
        return self.actor(obs)

    def act(
        self, obs: Float[Tensor, "envs obs_dim"]
    ) -> tuple[Int[Tensor, "envs"], Float[Tensor, "envs"], Float[Tensor, "envs"]]:
        dist = Categorical(logits=self.logits(obs))
        action = dist.sample()
        return action, dist.log_prob(action), self.value(obs)

    def evaluate(
        self, obs: Float[Tensor, "n obs_dim"], action: Int[Tensor, "n"]
    ) -> tuple[Float[Tensor, "n"], Float[Tensor, "n"], Float[Tensor, "n"]]:
        logp = self.logits(obs).log_softmax(-1)
        chosen = logp.gather(-1, action[:, None])[:, 0]
        entropy = -(logp.exp() * logp).sum(-1)
        return chosen, entropy, self.value(obs)


@dataclass
class Rollout:
    obs: Float[Tensor, "steps envs obs_dim"]
    actions: Int[Tensor, "steps envs"]
    logp: Float[Tensor, "steps envs"]
    rewards: Float[Tensor, "steps envs"]
    dones: Bool[Tensor, "steps envs"]
    values: Float[Tensor, "steps envs"]


def gae(
    rewards: Float[Tensor, "steps envs"],
    values: Float[Tensor, "steps envs"],
    dones: Bool[Tensor, "steps envs"],
    last_value: Float[Tensor, "envs"],
    gamma: float,
    lam: float,
) -> tuple[Float[Tensor, "steps envs"], Float[Tensor, "steps envs"]]:
    steps = rewards.shape[0]
    advantages = torch.zeros_like(rewards)
    running = torch.zeros_like(last_value)
    for t in reversed(range(steps)):
        nxt = last_value if t == steps - 1 else values[t + 1]
        alive = 1.0 - dones[t].float()
        delta = rewards[t] + gamma * nxt * alive - values[t]
        running = delta + gamma * lam * alive * running
        advantages[t] = running
    return advantages, advantages + values


def clipped_policy_loss(
    logp: Float[Tensor, "n"], old_logp: Float[Tensor, "n"], adv: Float[Tensor, "n"], clip: float
) -> Float[Tensor, ""]:
    ratio = (logp - old_logp).exp()
    loss1 = -adv * ratio
    loss2 = -adv * torch.clamp(ratio, 1 - clip, 1 + clip)
    return torch.max(loss1, loss2).mean()


def clipped_value_loss(
    value: Float[Tensor, "n"], old: Float[Tensor, "n"], returns: Float[Tensor, "n"], clip: float
) -> Float[Tensor, ""]:
    unclipped = (value - returns) ** 2
    clipped = (old + (value - old).clamp(-clip, clip) - returns) ** 2
    return 0.5 * torch.maximum(unclipped, clipped).mean()


def flatten_time(x: Float[Tensor, "steps envs *rest"]) -> Float[Tensor, "steps*envs *rest"]:
    return x.reshape(-1, *x.shape[2:])


def minibatches(total: int, count: int) -> Iterator[Int[Tensor, "_"]]:
    order = torch.randperm(total)
    yield from order.chunk(count)


def update(net: ActorCritic, opt: torch.optim.Optimizer, roll: Rollout, last: Float[Tensor, "envs"], cfg: Config) -> dict[str, float]:
    adv, ret = gae(roll.rewards, roll.values, roll.dones, last, cfg.gamma, cfg.lam)
    obs = flatten_time(roll.obs)
    actions = roll.actions.reshape(-1)
    old_logp = flatten_time(roll.logp)
    adv, ret, old_values = adv.flatten(), ret.flatten(), roll.values.flatten()
    stats = {"policy": 0.0, "value": 0.0}
    for _ in range(cfg.epochs):
        for index in minibatches(obs.shape[0], cfg.minibatches):
            mb_adv = adv[index]
            mb_adv = (mb_adv - mb_adv.mean()) / (mb_adv.std() + 1e-8)
            logp, entropy, value = net.evaluate(obs[index], actions[index])
            pg = clipped_policy_loss(logp, old_logp[index], mb_adv, cfg.clip)
            vf = clipped_value_loss(value, old_values[index], ret[index], cfg.clip)
            loss = pg + cfg.value_coef * vf - cfg.entropy_coef * entropy.mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            stats["policy"] += pg.item()
            stats["value"] += vf.item()
    return stats


# run: net = ActorCritic(5, 3); obs = randn(7, 4, 5)
# run: a, lp, v = net.act(obs[0])
# run: roll = Rollout(obs, randint(0, 3, (7, 4)), randn(7, 4), randn(7, 4), randn(7, 4) > 1, randn(7, 4))
# run: update(net, torch.optim.Adam(net.parameters()), roll, v.detach(), Config())
