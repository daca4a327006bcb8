"""Correct programs in which a flag picks a module and, elsewhere, the call: no other class is held against it."""

from typing import Any

import torch
from torch import Tensor, nn


class Own(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x


class Cross(nn.Module):
    def forward(self, x: Tensor, ctx: Tensor) -> Tensor:
        return x + ctx


class Either(Own):
    def forward(self, x: Tensor, ctx: Tensor | None = None) -> Tensor:
        return x if ctx is None else x + ctx


class Layer(nn.Module):
    def __init__(self, cross: bool) -> None:
        super().__init__()
        self.cross = cross
        self.attn = Cross() if cross else Own()
        self.declared: Cross | nn.ReLU = Cross() if cross else nn.ReLU()
        chosen = Cross if cross else nn.ReLU
        self.by_class = chosen()
        self.heads = nn.MultiheadAttention(3, 1) if cross else nn.Identity()
        self.below = Either() if cross else Own()
        self.twice = Own()
        if cross:
            self.twice = Either()
        self.same = Own()
        if cross:
            self.same = Own()
        self.act = nn.ReLU() if cross else nn.GELU()
        self.single = Own()

    def forward(self, x: Tensor, ctx: Tensor) -> Any:
        if self.cross:
            x = self.by_class(self.declared(self.attn(x, ctx), ctx), ctx)
            x, _ = self.heads(x, x, x)
            return self.twice(self.below(x, ctx), ctx)
        return self.heads(self.by_class(self.declared(self.attn(x))))

    def wrong(self, x: Tensor, ctx: Tensor) -> Tensor:
        self.same(x, ctx)  # E: Too many arguments for "forward" of "Own"  [call-arg]
        self.single(x, ctx)  # E: Too many arguments for "forward" of "Own"  [call-arg]
        self.single()  # E: Missing positional argument "x" in call to "forward" of "Own"  [call-arg]
        reveal_type(self.act(x))  # N: Revealed type is "torch._tensor.Tensor"
        reveal_type(self.attn(x))  # N: Revealed type is "Any | torch._tensor.Tensor"
        return self.twice(x)


class Extended(Layer):
    def __init__(self) -> None:
        super().__init__(cross=False)
        self.single = Either()

    def forward(self, x: Tensor, ctx: Tensor) -> Any:
        return self.single(x, ctx)


def build(name: str) -> Own | Cross:
    return Own() if name == "own" else Cross()


def run(name: str, x: Tensor) -> Tensor:
    m = build(name)
    return m(x) if name == "own" else m(x, x)


def recurrent(name: str, x: Tensor) -> Any:
    encoder = nn.LSTM(3, 3) if name == "lstm" else nn.Linear(3, 3)
    if name == "lstm":
        y, (h, _) = encoder(x)
        return y, h.squeeze(0)
    return encoder(x).squeeze(0)


class Weighted(nn.Linear):
    def forward(self, input: Tensor, weight: Tensor | None = None) -> Tensor:
        return super().forward(input) if weight is None else input @ weight.T


def items(x: Tensor) -> Any:
    net = nn.Sequential(Weighted(3, 5), nn.ReLU())
    layers = nn.ModuleList([Weighted(3, 5), nn.ReLU()])
    module = Either() if x.shape[0] else Own()
    plain = Own()
    plain(x, x)  # E: Too many arguments for "forward" of "Own"  [call-arg]
    return net[0](x, torch.ones(5, 3)), layers[0](x, torch.ones(5, 3)), module(x, x)


class Pair(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x, x


class Chosen(nn.Module):
    def __init__(self, pair: bool) -> None:
        super().__init__()
        if pair:
            self.made = Pair()
        else:
            self.made = nn.Identity()  # type: ignore[assignment]
        layers = [Pair()]
        layers.append(nn.Linear(3, 3))  # type: ignore[arg-type]
        nn.init.zeros_(layers[-1].bias)  # type: ignore[arg-type]

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.made(x))
