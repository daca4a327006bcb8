"""Layers that are given other weights after they were made: here, in a helper, by a name that is computed."""

import torch
from torch import Tensor, nn


def made(bias: bool = True) -> nn.Linear:
    linear = nn.Linear(8, 8, bias=bias)
    linear.weight.data = torch.arange(64.0).reshape(8, 8)
    return linear


def shard(linear: nn.Linear, parts: int, rank: int, style: str) -> None:
    dim, attr = {"columns": (0, "out_features"), "rows": (1, "in_features")}[style]
    part = torch.tensor_split(linear.weight, parts, dim=dim)[rank]
    linear.weight.data = part
    setattr(linear, attr, part.size(dim))
    if linear.bias is not None and dim == 0:
        linear.bias = nn.Parameter(torch.tensor_split(linear.bias, parts)[rank])


def shrink(linear):
    linear.weight = nn.Parameter(linear.weight[:, :2])


def by_name(layer: nn.Module, name: str) -> None:
    setattr(layer, name, nn.Parameter(torch.zeros(2, 8)))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(8, 32)
        self.down = nn.Linear(32, 8)

    def prune(self, kept: Tensor) -> None:
        self.up.weight.data = self.up.weight[kept]
        self.up.bias.data = self.up.bias[kept]
        self.down.weight = nn.Parameter(self.down.weight[:, kept])

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.up(x))


def test_shards() -> None:
    linear = made()
    shard(linear, 4, 2, "columns")
    torch.testing.assert_close(linear.weight, torch.arange(32.0, 48.0).reshape(2, 8))
    assert linear.bias.shape == (2,)
    linear = made(bias=False)
    shard(linear, 4, 2, "rows")
    assert linear(torch.zeros(3, 2)).shape == (3, 8)


def test_in_place() -> None:
    linear = made()
    linear.weight.data = linear.weight[:2]
    linear.bias = None
    assert linear(torch.zeros(3, 8)).shape == (3, 2)
    linear.weight = nn.Parameter(torch.zeros(5, 4))
    assert linear(torch.zeros(3, 4)).shape == (3, 5)


def test_in_helpers() -> None:
    linear = made(bias=False)
    shrink(linear)
    assert linear(torch.zeros(3, 2)).shape == (3, 8)
    other = made(bias=False)
    by_name(other, "weight")
    assert other(torch.zeros(3, 8)).shape == (3, 2)


def test_of_a_net() -> None:
    net = Net()
    net.prune(torch.arange(4))
    assert net.up.weight.shape == (4, 8)
    shrink(net.down)
    assert net.down(torch.zeros(1, 2)).shape == (1, 8)


# run: test_shards(); test_in_place(); test_in_helpers(); test_of_a_net()
