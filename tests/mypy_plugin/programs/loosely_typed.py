"""Correct programs that say little of types: what the plugin knows of modules and their parts must not hurt."""

from collections.abc import Callable
from typing import Any, Literal, Protocol

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F


class LossFn(Protocol):
    def __call__(self, pred: Tensor, target: Tensor) -> Tensor: ...


class Attention(nn.Module):
    def __init__(self, activation: str) -> None:
        super().__init__()
        self.qkv = nn.Linear(4, 4)
        self.weights = None
        self.cache: Tensor | None = None
        if activation == "relu":
            self.act = F.relu
        else:
            self.act = nn.GELU()
        self.register_buffer("mask", None)

    def forward(self, x: Tensor) -> Tensor:
        self.cache = self.qkv(x)
        y = self.act(self.cache)
        if self.mask is not None:
            y = y * self.mask
        return y


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Attention("relu") for _ in range(2)])
        self.heads = nn.ModuleDict({"a": Attention("gelu")})

    def forward(self, x: Tensor, mode: Literal["train", "eval"] = "train") -> dict[str, Tensor | list[Tensor]]:
        for block in self.blocks:
            x = block(x)
        return {"out": x, "all": [x], "mode": x if mode == "train" else x.mean()}


class Adapter(nn.Module):
    def __init__(self, base: Any) -> None:
        super().__init__()
        self.base = base

    def forward(self, x: Tensor) -> Any:
        return self.base(x)


class Losses(nn.Module):
    def forward(self, x: Tensor, weights: dict[str, Tensor]) -> tuple[dict[str, Tensor], Tensor]:
        return {name: (x * weight).mean() for name, weight in weights.items()}, x


def surgery(net: Net) -> None:
    for block in net.blocks:
        block.qkv = Adapter(block.qkv)
    net.blocks[0].qkv = nn.Identity()
    net.heads["a"].qkv = nn.Identity()


def look_inside(net: Net) -> Any:
    shapes = [block.weights.shape for block in net.blocks if block.weights is not None]
    for block in net.blocks:
        block.cache.sum().backward()
        block.qkv.wieght  # E: "Linear" has no attribute "wieght"; maybe "weight"?  [attribute]
    return shapes, net.blocks[0].weights.shape, net.blocks[1].cache.shape


def fit(loss: LossFn, losses: Losses, net: Net, x: Tensor) -> None:
    total = loss(x, x)
    for _ in range(2):
        parts, out = losses(x, dict(net.named_parameters()))
        combined = sum(value * 0.5 for value in parts.values())
        combined.backward()
        sum(parts[name] for name in parts).backward()
    sum(value for value in losses(x, {})[0].values()).backward()
    for mode in ["train", "eval"]:
        net(x, mode)["out"].mean().backward()
    net(x, "test")  # E: Argument 2 to "forward" of "Net" has incompatible type "Literal['test']"; expected "Literal['train', 'eval']"  [arg-type]
    print(total, out)


def choose(name: str) -> Callable[[Tensor, Tensor], Tensor]:
    if name == "mse":
        criterion = F.mse_loss
    else:
        criterion = nn.L1Loss()
    return criterion


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.LSTM(4, 4, batch_first=True)

    def forward(self, x: Tensor, lengths: Tensor | None = None) -> Tensor:
        if lengths is not None:
            packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
            x = packed  # type: ignore[assignment]
        y, _ = self.rnn(x)
        if lengths is not None:
            y, _ = nn.utils.rnn.pad_packed_sequence(y, batch_first=True)
        reveal_type(self.rnn(torch.ones(2, 3, 4))[0])  # N: Revealed type is "torch._tensor.Tensor"
        return y  # type: ignore[no-any-return]


class Pair(nn.Module):
    def forward(self, x: Tensor | tuple[Tensor, Tensor | None], scale: float = 1.0, name: str = "") -> Tensor:
        return x[0] * scale


class Graph:
    x: Tensor | None = None


def mixed_up(pair: Pair, graph: Graph, x: Tensor) -> None:
    inputs = {"x": x, "name": "text"}
    pair(inputs["x"], name=inputs["name"])
    for one, scale in [[x, 2.0], [x, 0.5]]:
        pair(one, scale)
    pair((graph.x, graph.x), np.float64(2.0) + np.mean([1.0, 2.0]))
    pair(b"text")  # E: Argument 1 to "forward" of "Pair" has incompatible type "bytes"; expected "Tensor | tuple[Tensor, Tensor | None]"  [arg-type]


class Predictor:
    memory = None

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.reset()

    def reset(self) -> None:
        self.features = None

    def predict(self, x: Tensor) -> Any:
        self.features = self.pair(x)
        y = self.pair(x)
        return self.features + y, y @ self.memory, self.pair(x) - self.memory


def fails_on_purpose(net: Net) -> None:
    with pytest.raises(AttributeError):
        net.nothing
    with pytest.raises(TypeError):
        net()
    try:
        net.nope
    except AttributeError:
        pass
    net()  # E: Missing positional argument "x" in call to "forward" of "Net"  [call-arg]


fit(nn.MSELoss(), Losses(), Net(), torch.ones(2, 4))
