from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class EnvSpec:
    obs_dim: int
    action_dim: int
    discrete: bool = True


class Agent(nn.Module, ABC):
    def __init__(self, spec: EnvSpec, hidden: int = 16, **kwargs):
        super().__init__()
        self.spec = spec
        self.hidden = hidden
        self.trunk = self.make_trunk(**kwargs)

    def make_trunk(self, depth: int = 2):
        layers = []
        size = self.spec.obs_dim
        for _ in range(depth):
            layers += [nn.Linear(size, self.hidden), nn.Tanh()]
            size = self.hidden
        return nn.Sequential(*layers)

    @abstractmethod
    def act(self, obs): ...

    @abstractmethod
    def loss(self, batch): ...
