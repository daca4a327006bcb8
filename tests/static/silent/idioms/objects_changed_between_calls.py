"""Objects whose lists, dicts and settings change between two calls of an annotated method."""

from dataclasses import dataclass, field

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Bank(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleList()
        self.held: dict[str, list[Tensor]] = {"a": []}

    def add(self, x: Tensor) -> None:
        self.parts.append(nn.Identity())
        self.held["a"].append(x)

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "m d"]:
        for part in self.parts:
            x = torch.cat([x, part(x)])
        return x

    def kept(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "m d"]:
        return torch.cat([x, *self.held["a"]])


class Settings:
    def __init__(self) -> None:
        self.sizes = [2]
        self.options = {"k": 2}


def repeated(settings: Settings, x: Float[Tensor, "n d"]) -> Float[Tensor, "m d"]:
    return x.repeat(sum(settings.sizes) * settings.options["k"], 1)


@dataclass
class Population:
    genes: Float[Tensor, "pop dim"]
    history: list[Float[Tensor, ""]] = field(default_factory=list)

    def evaluate(self) -> "Population":
        self.history.append(self.genes.max())
        return self

    @property
    def curve(self) -> Float[Tensor, "gens"]:
        return torch.stack(self.history)


class Front(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(5, 2))

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n e"]:
        return self.layers(x)


def positive(x: Float[Tensor, "b t"]) -> Float[Tensor, "b kept"]:
    return x[:, x[0] > 0]


def test_bank() -> None:
    bank, x = Bank(), torch.randn(3, 4)
    bank.add(x)
    bank.add(x)
    assert bank(x).shape == (12, 4)
    assert bank.kept(x).shape == (9, 4)


def test_settings() -> None:
    settings, x = Settings(), torch.randn(3, 4)
    assert repeated(settings, x).shape == (12, 4)
    settings.sizes.append(1)
    settings.options["k"] = 1
    assert repeated(settings, x).shape == (9, 4)


def test_population() -> None:
    population = Population(torch.randn(3, 2)).evaluate()
    assert population.curve.shape == (1,)
    population.evaluate()
    assert population.curve.shape == (2,)


def test_front() -> None:
    front = Front()
    front.layers.insert(0, nn.Linear(4, 5))
    assert front(torch.randn(3, 4)).shape == (3, 2)


def test_items_apart() -> None:
    x = torch.tensor([[1.0, -1.0, -1.0, 2.0, 3.0, 4.0]])
    parts = [positive(part) for part in x.split([2, 4], 1)]
    assert parts[0].shape == (1, 1)
    assert parts[1].shape == (1, 3)
    few, many = map(positive, x.split([2, 4], dim=1))
    assert few.shape == (1, 1)
    assert many.shape == (1, 3)


# run: test_bank(); test_settings(); test_population(); test_front(); test_items_apart()
