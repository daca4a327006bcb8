"""What is declared for all is not what runs: fewer parameters, other parts, a body of ``...``."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NewType, Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor, nn


@dataclass
class Scene:
    means: Float[Tensor, "batch gaussian 3"]


class Decoder(nn.Module, ABC):
    @abstractmethod
    def forward(
        self,
        scene: Scene,
        extrinsics: Float[Tensor, "batch view 4 4"],
        near: Float[Tensor, "batch view"],
        far: Float[Tensor, "batch view"],
        image_shape: tuple[int, int],
    ) -> Float[Tensor, "batch view 3 height width"]: ...


class PointDecoder(Decoder):
    def forward(
        self, scene: Scene, extrinsics: Float[Tensor, "batch view 4 4"], image_shape: tuple[int, int]
    ) -> Float[Tensor, "batch view 3 height width"]:
        b, v, _, _ = extrinsics.shape
        return scene.means.mean(1)[:, None, :, None, None].expand(b, v, 3, *image_shape)


class Wrapper(nn.Module):
    decoder: Decoder

    def __init__(self, decoder: Decoder) -> None:
        super().__init__()
        self.decoder = decoder

    def forward(self, scene: Scene, poses: Float[Tensor, "batch view 4 4"], size: tuple[int, int]) -> Tensor:
        return self.decoder.forward(scene, poses, size)


class Agent(nn.Module):
    actor: nn.Module

    @abstractmethod
    def __init__(self, actions: int) -> None:
        super().__init__()
        self.actor = nn.Sequential()


class LinearAgent(Agent):
    def __init__(self, actions: int) -> None:
        super().__init__(actions)
        self.actor = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, actions))


def agent_for(name: str) -> Agent:
    return {"linear": LinearAgent}[name](2)


def chosen(name: str) -> None:
    made = agent_for(name).actor(torch.zeros(2, 1))
    torch.testing.assert_close(made * 0, torch.zeros(2, 2))


Pair = NewType("Pair", tuple[int, int])


@runtime_checkable
class Sampler(Protocol):
    def __call__(self, costs: Float[Tensor, "k k"]) -> Pair: ...


def smallest(costs: Float[Tensor, "k k"]) -> Pair:
    index = int(costs.argmin())
    return Pair((index // costs.shape[0], index % costs.shape[0]))


class Settings:
    @property
    def sampler(self) -> Sampler:
        return smallest

    def sample(self, costs: Float[Tensor, "k k"]) -> Pair:
        return self.sampler(costs=costs)


def cost_of_pair(settings: Settings, costs: Float[Tensor, "k k"]) -> float:
    pair = settings.sample(costs)
    return costs[pair].item()


# run: chosen("linear")
# run: cost_of_pair(Settings(), randn(3, 3))
# run: Wrapper(PointDecoder())(Scene(randn(2, 5, 3)), randn(2, 4, 4, 4), (6, 7))
