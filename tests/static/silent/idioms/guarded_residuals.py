"""A residual is added where it fits: what says so is asked for in many ways, and far from where it was found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Flag(nn.Module):
    def __init__(self, a: int, b: int) -> None:
        super().__init__()
        self.lin = nn.Linear(a, b)
        self.same = a == b
        self.differ = a != b
        self.chosen = True if a == b else False
        self.told = bool(a == b)
        self.kind = "residual" if a == b else "plain"
        self.alpha = nn.Parameter(torch.zeros(1)) if a == b else None
        self.found = False
        if a == b:
            self.found = True

    @property
    def fits(self) -> bool:
        return self.lin.in_features == self.lin.out_features

    def forward(self, x: Float[Tensor, "n a"]) -> Float[Tensor, "n b"]:
        y = self.lin(x)
        y = x + y if self.same else y
        y = y if self.differ else x + y
        y = x + y if self.chosen else y
        y = x + y if self.told else y
        y = x + y if self.kind == "residual" else y
        y = y + self.alpha * x if self.alpha is not None else y
        y = x + y if self.found else y
        y = x + y if self.fits else y
        here = self.lin.in_features == self.lin.out_features
        return x + y if here else y


class NoAnnotations(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.lin = nn.Linear(a, b)
        self.same = a == b

    def forward(self, x):
        y = self.lin(x)
        if not self.same:
            return y
        return x + y


class InvertedResidual(nn.Module):
    def __init__(self, cin: int, cout: int, stride: int) -> None:
        super().__init__()
        self.use_residual = stride == 1 and cin == cout
        self.body = nn.Conv2d(cin, cout, 3, stride, 1)

    def forward(self, x: Float[Tensor, "b cin h w"]) -> Float[Tensor, "b cout h2 w2"]:
        y = self.body(x)
        return x + y if self.use_residual else y


class Highway(nn.Module):
    """What is known to be one holds of what the layers were made with, too."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.same = d_in == d_out
        self.lin = nn.Linear(d_in, d_out)
        self.gate = nn.Linear(d_in, d_out)
        self.after = Flag(d_out, d_in)

    def forward(self, x: Float[Tensor, "b d_in"]) -> Float[Tensor, "b d_out"]:
        y = self.lin(x)
        if not self.same:
            return y
        gate = torch.sigmoid(self.gate(x))
        return self.after(gate * y + (1 - gate) * x)


class Asked(nn.Module):
    """A flag that is passed, and checked where it is passed."""

    def __init__(self, a: int, b: int, residual: bool, skip: bool, short: bool = False) -> None:
        super().__init__()
        self.lin = nn.Linear(a, b)
        self.residual = residual
        if self.residual:
            assert a == b
        assert not skip or a == b
        self.skip = skip
        if short and a != b:
            raise ValueError("a shortcut keeps the width")
        self.short = short
        self.both = residual and a == b

    def forward(self, x: Float[Tensor, "n a"]) -> Float[Tensor, "n b"]:
        y = self.lin(x)
        y = y + x @ x.T @ x if self.residual else y
        y = y + x if self.skip else y
        y = y + x if self.both else y
        if self.short:
            return x + y
        return y


class Trusted(nn.Module):
    """A flag that nobody checks: who sets it knows."""

    def __init__(self, a: int, b: int, residual: bool = False) -> None:
        super().__init__()
        self.lin = nn.Linear(a, b)
        self.residual = residual

    def forward(self, x: Float[Tensor, "n a"]) -> Float[Tensor, "n b"]:
        y = self.lin(x)
        return x + y if self.residual else y


@dataclass
class Config:
    d_in: int
    d_out: int
    residual: bool = True

    def __post_init__(self) -> None:
        if self.residual and self.d_in != self.d_out:
            raise ValueError("a residual keeps the width")


class Configured(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.lin = nn.Linear(config.d_in, config.d_out)

    def forward(self, x: Float[Tensor, "n i"]) -> Float[Tensor, "n o"]:
        y = self.lin(x)
        return x + y if self.config.residual else y


class Mode(Enum):
    ADD = "add"
    CAT = "cat"


class Fuse(nn.Module):
    def __init__(self, a: int, b: int, mode: Mode) -> None:
        super().__init__()
        self.mode = mode
        if mode is Mode.ADD:
            assert a == b

    def forward(self, x: Float[Tensor, "n a"], y: Float[Tensor, "n b"]) -> Float[Tensor, "n c"]:
        if self.mode is Mode.ADD:
            return x + y
        return torch.cat([x, y], -1)


def difference(x: Float[Tensor, "n d"], y: Float[Tensor, "m e"]) -> Float[Tensor, "n d"]:
    assert all(a == b for a, b in zip(x.shape, y.shape))
    return x - y


def product(x: Float[Tensor, "n a"], y: Float[Tensor, "m b"]) -> Float[Tensor, "n b"]:
    match x.shape[1] == y.shape[0]:
        case True:
            return x @ y
        case _:
            return x.new_zeros(x.shape[0], y.shape[1])


def either(x: Float[Tensor, "n a"], y: Float[Tensor, "n b"], strict: bool) -> Float[Tensor, "n a"]:
    alike = x.shape == y.shape
    if strict:
        assert alike
    return x + y if strict else x


def main() -> list[Tensor]:
    x = torch.randn(2, 3)
    made = [Flag(3, 3)(x), Flag(3, 4)(x), NoAnnotations(3, 3)(x), NoAnnotations(3, 4)(x)]
    image = torch.randn(1, 4, 6, 6)
    made += [InvertedResidual(4, 4, 1)(image), InvertedResidual(4, 8, 2)(image)]
    made += [Highway(3, 3)(x), Highway(3, 4)(x), Asked(3, 3, True, True)(x), Asked(3, 4, False, False)(x)]
    made += [Trusted(3, 3, True)(x), Trusted(3, 4)(x)]
    made += [Configured(Config(3, 3))(x), Configured(Config(3, 4, False))(x)]
    made += [Fuse(3, 3, Mode.ADD)(x, x), Fuse(3, 4, Mode.CAT)(x, torch.randn(2, 4))]
    made += [difference(x, x), product(x, torch.randn(3, 4)), product(x, torch.randn(5, 4))]
    return [*made, either(x, x, True), either(x, torch.randn(2, 5), False)]


# run: main()
