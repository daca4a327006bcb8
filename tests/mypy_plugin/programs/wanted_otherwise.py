"""Correct programs that give what comes of a module to something whose annotations ask for another thing."""

import random
import unittest
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, Type, TypedDict, TypeVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.distributions import Categorical, Distribution, Laplace, Normal

D = TypeVar("D")
T = TypeVar("T", Tensor, list[Tensor])
FAMILIES = {"normal": Normal, "laplace": Laplace}
net = nn.Linear(3, 3)
criterion = nn.MSELoss()


class Lengths(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return (x > 0).sum(-1) + 1


def numbers(x: Tensor, lengths: Lengths) -> Any:
    loss = criterion(x, x)
    n = lengths(x)
    torch.full_like(x, loss) + torch.full((3, 1), criterion(x, x)) + x.new_full((1,), loss).fill_(loss)
    F.pad(x, (0, n.max())), F.dropout(x, p=loss), F.one_hot(n, num_classes=n.max() + 1)
    torch.randint(0, n.max(), (3,)), torch.eye(n[0]), torch.linspace(0, 1, n[0]), x.topk(n.min()).values
    x.repeat(n[0], 1), x.view(n[0], -1), torch.zeros(n.max()), x.new_zeros((n[0], 1))
    [torch.arange(length) for length in n]
    return round(loss, 2)


def numbers_of_others(x: Tensor, n: Tensor, lengths: Lengths) -> Any:
    x.topk(n)  # E: Argument 1 to "topk" of "TensorBase" has incompatible type "Tensor"; expected "int | SymInt"  [arg-type]
    half(lengths(x))  # E: Argument 1 to "half" has incompatible type "Tensor"; expected "int"  [arg-type]
    torch.cat(lengths(x))  # E: Argument 1 to "cat" has incompatible type "Tensor"; expected "tuple[Tensor, ...] | list[Tensor]"  [arg-type]
    return torch.cat((x, x))


def half(n: int) -> int:
    return n // 2


class Head(nn.Module):
    def __init__(self, family: Type[Distribution]) -> None:
        super().__init__()
        self.loc, self.scale = nn.Linear(3, 1), nn.Linear(3, 1)
        self.family = family

    def forward(self, x: Tensor, kind: str) -> Distribution:
        loc = self.loc(x)
        print(FAMILIES[kind](loc, self.scale(x).exp()))
        return self.family(loc, self.scale(x).exp())

    def unpacked(self, x: Tensor) -> Normal:
        print(Normal(*net(x).exp().chunk(2, dim=-1)))
        parts = net(x).chunk(2)
        return Normal(*parts)


class TestLoss(unittest.TestCase):
    def test_zero(self) -> None:
        x = torch.ones(3, 3)
        self.assertAlmostEqual(criterion(x, x), 0.0, places=5)
        self.assertIn(random.choices(range(3), weights=net(x)[0])[0], range(3))


class Policy(nn.Module, Generic[D]):
    def forward(self, obs: Tensor) -> D:
        raise NotImplementedError

    def act(self, obs: Tensor) -> Any:
        return self(obs).sample()


class Discrete(Policy[Categorical]):
    def forward(self, obs: Tensor) -> Categorical:
        return Categorical(logits=obs)


class Renorm(nn.Module):
    def forward(self, x: T) -> T:
        return x


def chosen(x: Tensor) -> Any:
    parameters = [nn.Parameter(torch.ones(3)) for _ in range(2)]
    print(Renorm()(parameters)[0].shape)
    reveal_type(Renorm()(x))  # N: Revealed type is "torch._tensor.Tensor"
    Renorm()("x")  # E: Value of type variable "T" of "forward" of "Renorm" cannot be "str"  [type-var]
    Discrete()(x).sampled()  # E: "Categorical" has no attribute "sampled"; maybe "sample"?  [attr-defined]
    print((0 == net(x)).sum(), (1.0 != net(x)).any())
    return np.float32(0.5) * net(x) + 2 ** net(x)


@dataclass
class Step:
    obs: Tensor
    action: Tensor | np.ndarray
    pair: tuple[Tensor, Tensor] | None = None


class Actor(nn.Module):
    def forward(self, obs: Tensor) -> Distribution:
        return Normal(obs, obs.exp())


def of_several_kinds(policy: Actor, other: Distribution, step: Step) -> Tensor:
    found = policy(step.obs)
    other.log_prob(step.action)  # E: Argument 1 to "log_prob" of "Distribution" has incompatible type "Tensor | ndarray[tuple[Any, ...], dtype[Any]]"; expected "Tensor"  [arg-type]
    policy(step.obs).log_prob(3)  # E: Argument 1 to "log_prob" of "Distribution" has incompatible type "int"; expected "Tensor"  [arg-type]
    print(found.log_prob(step.action))
    return step.obs


def of_two(pair: tuple[Tensor, Tensor], size: tuple[int, int] = (1, 1)) -> None:
    print(pair, size)


def split(x: Tensor, step: Step) -> tuple[Tensor, Tensor]:
    both = tuple(net(x).chunk(2, dim=1))
    of_two(both, size=net(x).shape[-2:])
    of_two(net(x).unbind(0), net(x).shape)
    of_two(x.chunk(2))  # E: Argument 1 to "of_two" has incompatible type "tuple[Tensor, ...]"; expected "tuple[Tensor, Tensor]"  [arg-type]
    of_two(net(x))  # E: Argument 1 to "of_two" has incompatible type "Tensor"; expected "tuple[Tensor, Tensor]"  [arg-type]
    print(Step(x, x, both), Step(x, x, pair=net(x).chunk(2)))
    pair: tuple[Tensor, Tensor] = both
    return pair if len(both) > 2 else net(x).chunk(2)


def split_and_size(x: Tensor) -> tuple[tuple[Tensor, Tensor], tuple[int, int]]:
    parts = net(x).chunk(2)
    return parts, net(x).shape


class Pair(TypedDict):
    pair: tuple[Tensor, Tensor]


def halves(x: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    yield net(x).chunk(2)
    print(Pair(pair=net(x).chunk(2)))


def one_or_two(x: Tensor) -> tuple[Tensor, Tensor] | Tensor:
    return net(x) if x.ndim == 1 else net(x).chunk(2)


def of_kinds(xs: list[bool]) -> dict[str, torch.BoolTensor]:
    masks = {}
    masks["all"] = torch.BoolTensor(xs)
    indices = [torch.LongTensor(xs)]
    indices.append(torch.arange(3))
    return masks


class Resize(nn.Module):
    def forward(self, x: Tensor, size: tuple[int, int] | None = None, scale: float = 1.0) -> Tensor:
        return x if size is None else x[..., : size[0], : size[1]]


def resized(resize: Resize, x: Tensor, like: Tensor) -> Tensor:
    height_width = tuple(like.shape[2:4])
    x = resize(x, size=height_width)
    x = resize(x, tuple(like.shape[2:4]))
    resize(x, [2, 3])  # E: Argument 2 to "forward" of "Resize" has incompatible type "list[int]"; expected "tuple[int, int] | None"  [arg-type]
    return resize.forward(x, height_width)  # E: Argument 2 to "forward" of "Resize" has incompatible type "tuple[int, ...]"; expected "tuple[int, int] | None"  [arg-type]
