"""Recurrent state-space world model: posterior and prior over latents, imagination, lambda returns."""

from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor
from torch.distributions import Independent, Normal, kl_divergence


@dataclass
class State:
    deter: Float[Tensor, "batch deter"]
    stoch: Float[Tensor, "batch stoch"]
    mean: Float[Tensor, "batch stoch"]
    std: Float[Tensor, "batch stoch"]

    @property
    def features(self) -> Float[Tensor, "batch features"]:
        return torch.cat([self.deter, self.stoch], dim=-1)

    @property
    def dist(self) -> Independent:
        return Independent(Normal(self.mean, self.std), 1)


class ConvEncoder(nn.Module):
    def __init__(self, channels: int, depth: int, embed: int):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, depth, 4, stride=2, padding=1)
        self.conv2 = nn.Conv2d(depth, 2 * depth, 4, stride=2, padding=1)
        self.fc = nn.Linear(2 * depth * 4 * 4, embed)

    def forward(self, obs: Float[Tensor, "*lead channels 16 16"]) -> Float[Tensor, "*lead embed"]:
        lead = obs.shape[:-3]
        x = obs.reshape(-1, *obs.shape[-3:])
        x = F.elu(self.conv2(F.elu(self.conv1(x))))
        return self.fc(x.flatten(1)).reshape(*lead, -1)


class ConvDecoder(nn.Module):
    def __init__(self, features: int, channels: int, depth: int):
        super().__init__()
        self.depth = depth
        self.fc = nn.Linear(features, 2 * depth * 4 * 4)
        self.up1 = nn.ConvTranspose2d(2 * depth, depth, 4, stride=2, padding=1)
        self.up2 = nn.ConvTranspose2d(depth, channels, 4, stride=2, padding=1)

    def forward(self, features: Float[Tensor, "n features"]) -> Float[Tensor, "n channels 16 16"]:
        x = self.fc(features).view(-1, 2 * self.depth, 4, 4)
        return self.up2(F.elu(self.up1(x)))


class RSSM(nn.Module):
    def __init__(self, action_dim: int, embed: int, deter: int, stoch: int, hidden: int):
        super().__init__()
        self.deter, self.stoch = deter, stoch
        self.inp = nn.Linear(stoch + action_dim, hidden)
        self.cell = nn.GRUCell(hidden, deter)
        self.prior = nn.Sequential(nn.Linear(deter, hidden), nn.ELU(), nn.Linear(hidden, 2 * stoch))
        self.post = nn.Sequential(nn.Linear(deter + embed, hidden), nn.ELU(), nn.Linear(hidden, 2 * stoch))

    def initial(self, batch: int) -> State:
        zeros = torch.zeros(batch, self.stoch)
        return State(torch.zeros(batch, self.deter), zeros, zeros, torch.ones(batch, self.stoch))

    def _split(self, stats: Float[Tensor, "batch two_stoch"], deter: Float[Tensor, "batch deter"]) -> State:
        mean, std = stats.chunk(2, dim=-1)
        std = F.softplus(std) + 0.1
        stoch = mean + std * torch.randn_like(mean)
        return State(deter, stoch, mean, std)

    def imagine_step(self, prev: State, action: Float[Tensor, "batch action_dim"]) -> State:
        x = F.elu(self.inp(torch.cat([prev.stoch, action], dim=-1)))
        deter = self.cell(x, prev.deter)
        return self._split(self.prior(deter), deter)

    def observe_step(
        self, prev: State, action: Float[Tensor, "batch action_dim"], embed: Float[Tensor, "batch embed"]
    ) -> tuple[State, State]:
        prior = self.imagine_step(prev, action)
        stats = self.post(torch.cat([prior.deter, embed], dim=-1))
        return self._split(stats, prior.deter), prior


def lambda_return(
    reward: Float[Tensor, "time batch"], value: Float[Tensor, "time batch"], discount: Float[Tensor, "time batch"],
    bootstrap: Float[Tensor, "batch"], lam: float = 0.95,
) -> Float[Tensor, "time batch"]:
    following = torch.cat([value[1:], bootstrap[None]], dim=0)
    inputs = reward + discount * following * (1 - lam)
    outputs = []
    last = bootstrap
    for t in reversed(range(reward.shape[0])):
        last = inputs[t] + discount[t] * lam * last
        outputs.append(last)
    return torch.stack(outputs[::-1], dim=0)


class WorldModel(nn.Module):
    def __init__(self, channels: int = 3, action_dim: int = 2, embed: int = 20, deter: int = 24, stoch: int = 6, hidden: int = 16):
        super().__init__()
        self.encoder = ConvEncoder(channels, 4, embed)
        self.rssm = RSSM(action_dim, embed, deter, stoch, hidden)
        self.decoder = ConvDecoder(deter + stoch, channels, 4)
        self.reward = nn.Linear(deter + stoch, 1)
        self.actor = nn.Linear(deter + stoch, action_dim)

    def loss(
        self,
        obs: Float[Tensor, "time batch channels 16 16"],
        action: Float[Tensor, "time batch action_dim"],
        reward: Float[Tensor, "time batch"],
        done: Bool[Tensor, "time batch"],
        beta: float = 0.5,
    ) -> Float[Tensor, ""]:
        embed = self.encoder(obs)
        state = self.rssm.initial(obs.shape[1])
        total = obs.new_zeros(())
        for t in range(obs.shape[0]):
            post, prior = self.rssm.observe_step(state, action[t], embed[t])
            recon = self.decoder(post.features)
            image_loss = (recon - obs[t]).pow(2).flatten(1).sum(dim=1)
            reward_loss = (self.reward(post.features).squeeze(-1) - reward[t]).pow(2)
            kl = kl_divergence(post.dist, prior.dist)
            weight = 1.0 - done[t].float()
            total = total + (weight * (image_loss + reward_loss + beta * kl)).mean()
            state = post
        return total / obs.shape[0]

    def imagine(self, start: State, horizon: int) -> tuple[Float[Tensor, "horizon batch features"], Float[Tensor, "horizon batch"]]:
        state, features, rewards = start, [], []
        for _ in range(horizon):
            action = torch.tanh(self.actor(state.features))
            state = self.rssm.imagine_step(state, action)
            features.append(state.features)
            rewards.append(self.reward(state.features).squeeze(-1))
        return torch.stack(features), torch.stack(rewards)


# run: m = WorldModel(); m.loss(randn(4, 3, 3, 16, 16), randn(4, 3, 2), randn(4, 3), torch.rand(4, 3) > 0.8).backward()
# run: f, r = m.imagine(m.rssm.initial(3), 5); lambda_return(r, torch.zeros_like(r), torch.full_like(r, 0.9), torch.zeros(3))
