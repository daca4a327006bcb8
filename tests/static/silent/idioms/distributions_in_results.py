"""Results that hold distributions and layers: their sizes are those of the call, whatever the body calls them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.distributions import Categorical, Independent, Normal


@dataclass
class Config:
    n_obs: int = 3
    n_actions: int = 2


class Out(NamedTuple):
    dist: Categorical
    spread: Independent
    each: list[Normal]
    value: Float[Tensor, "b"]


class Policy(nn.Module):
    def __init__(self, cfg: Config) -> None:
        super().__init__()
        self.pi = nn.Linear(cfg.n_obs, cfg.n_actions)

    def forward(self, obs: Float[Tensor, "b obs"]) -> Out:
        scores = self.pi(obs)
        normal = Normal(scores, 1.0)
        return Out(
            Categorical(logits=scores), Independent(normal, 1), [normal.expand(scores.shape), normal], obs.mean(-1)
        )


@dataclass
class Probe:
    layer: nn.Linear
    centre: Float[Tensor, "width"]


def probe(x: Float[Tensor, "n width"], classes: int) -> Probe:
    return Probe(nn.Linear(x.shape[-1], classes), x.mean(0))


def log_probs(
    net: Policy, obs: Float[Tensor, "t obs"], actions: Int[Tensor, "t"], moves: Float[Tensor, "t act"]
) -> Float[Tensor, "t"]:
    out = net(obs)
    near = out.each[0].log_prob(moves) + out.each[1].log_prob(moves)
    return out.dist.log_prob(actions) + out.spread.log_prob(moves) + near.sum(-1)


def act(net: Policy, obs: Float[Tensor, "obs"]) -> int:
    return int(net(obs[None]).dist.sample().item())


def probed(tokens: Float[Tensor, "tokens d_model"]) -> Float[Tensor, "tokens 5"]:
    found = probe(tokens, 5)
    return found.layer(tokens - found.centre)


# run: log_probs(Policy(Config()), randn(4, 3), torch.ones(4).long(), randn(4, 2)); act(Policy(Config()), randn(3))
# run: probed(randn(7, 3))
