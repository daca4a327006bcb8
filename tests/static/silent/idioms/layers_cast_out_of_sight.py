"""Models that are cast to float64 one way or another take float64."""

import numpy as np
import torch
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


def numbers() -> Tensor:
    return torch.from_numpy(np.linspace(0.0, 1.0, 6).reshape(3, 2))


def cast_at_once() -> Tensor:
    return Net().double()(numbers())


def cast_later() -> Tensor:
    net = Net()
    net.to(torch.float64)
    return net(numbers())


def cast_by(change, net: nn.Module) -> Tensor:
    change(net)
    return net(numbers())


def each_cast(*nets: nn.Module) -> list[Tensor]:
    for net in nets:
        for parameter in net.parameters():
            parameter.data = parameter.data.double()
    return [net(numbers()) for net in nets]


class Fitted(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("axes", torch.eye(width))

    def fit(self, x: Tensor) -> "Fitted":
        self.mean = x.mean(0)
        self.axes = torch.linalg.eigh(torch.cov((x - self.mean).T)).eigenvectors
        return self

    def forward(self, x: Tensor) -> Tensor:
        return (x - self.mean) @ self.axes


def buffers_cast_after_they_were_assigned() -> Tensor:
    fitted = Fitted(2).fit(torch.randn(5, 2))
    return nn.Sequential(fitted, nn.Linear(2, 1)).double()(numbers()) + fitted(numbers())


# run: cast_at_once(), cast_later(), cast_by(lambda net: net.double(), Net()), each_cast(Net(), Net()), buffers_cast_after_they_were_assigned()
