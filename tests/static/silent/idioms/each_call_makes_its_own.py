"""What two calls of one helper make is two things, and a layer of other settings is another layer."""
from __future__ import annotations

from collections import deque

import numpy as np
import pytest
import torch
from torch import nn


class Transition:
    def __init__(self):
        self.reward = torch.rand(1)
        self.extra = {}


def transition():
    return {"reward": torch.rand(1), "done": False}


def boxed():
    return Transition()


def padded():
    return [torch.zeros(2)], Transition()


def n_step(data, steps):
    fake = torch.zeros_like(data[0]["reward"])
    for i in range(len(data)):
        own = [data[i + j]["reward"] for j in range(steps) if i + j < len(data)]
        data[i]["reward"] = torch.cat(own + [fake] * (steps - len(own)), dim=-1)
    return data


def with_returns(data):
    for item in data:
        item["return"] = torch.zeros(7)
    return data


def test_what_helpers_make():
    data = deque([transition() for _ in range(10)])
    data[2]["reward"] = torch.rand(4)
    assert data[1]["reward"].shape == (1,)

    first, second = boxed(), boxed()
    first.reward = torch.rand(9)
    first.extra["mask"] = torch.ones(3)
    assert second.reward.shape == (1,)
    assert "mask" not in second.extra

    rows, box = padded()
    rows.append(torch.zeros(3))
    box.reward = torch.rand(5, 5)
    others, other = padded()
    assert len(others) == 1
    assert other.reward.shape == (1,)

    left, right = with_returns([transition()]), with_returns([transition()])
    left[0]["return"] = torch.zeros(1)
    assert right[0]["return"].shape == (7,)


def pooled(layer, x):
    return layer(x)


class Stage(nn.Module):
    def __init__(self, pool, flatten):
        super().__init__()
        self.pool = pool
        self.flatten = flatten

    def forward(self, x):
        return self.flatten(self.pool(x))


def test_layers_of_other_settings():
    x = torch.rand(2, 3, 12, 12)
    assert pooled(nn.AvgPool2d(2), x).shape == (2, 3, 6, 6)
    assert pooled(nn.AvgPool2d(3), x).shape == (2, 3, 4, 4)
    assert Stage(nn.AvgPool2d(2), nn.Flatten(2))(x).shape == (2, 3, 36)
    assert Stage(nn.AvgPool2d(3), nn.Flatten(1))(x).shape == (2, 48)
    for size, pool in ((6, nn.MaxPool2d(2)), (4, nn.MaxPool2d(3))):
        assert pool(x).shape[-1] == size
    for flag in (True, False):
        up = nn.Upsample(scale_factor=2) if flag else nn.Upsample(scale_factor=4)
        assert up(x).shape[-1] == (24 if flag else 48)


def adjoint_of(forward, size):
    x = torch.ones(size)
    _, pull = torch.func.vjp(forward, x)

    class Adjoint(torch.autograd.Function):
        @staticmethod
        def forward(y):
            return pull(y)[0]

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, grad):
            return forward(grad)

    return Adjoint.apply


def mean_of_channels(x):
    return x.mean(dim=1, keepdim=True)


def test_adjoints():
    large, small = adjoint_of(mean_of_channels, (2, 3, 16, 16)), adjoint_of(mean_of_channels, (2, 3, 8, 8))
    assert large(torch.ones(2, 1, 16, 16)).shape == (2, 3, 16, 16)
    assert small(torch.ones(2, 1, 8, 8)).shape == (2, 3, 8, 8)


def gaussian(sigma: int):
    size = 12 * sigma + 1
    x = np.arange(0, size, 1, np.float32)
    y = x[:, np.newaxis]
    x0 = y0 = size // 2
    g = np.exp(-((x - x0) ** 2 + (y - y0) ** 2) / (2 * sigma**2))
    column = np.sqrt(x.reshape(-1, 1)).astype(np.float64)
    return g * np.maximum(column, 0.5) + np.where(column > 1, column, 0.0) * x


def falloff(n: int):
    x = torch.arange(n, dtype=torch.float32)
    y = x[:, None]
    decay = y.cumsum(0).flip(0) * x
    return decay + torch.where(y > 2, y, 0.0) * x + torch.sort(y, dim=0).values * x


def test_outer_on_purpose():
    assert gaussian(1).shape == (13, 13)
    assert falloff(5).shape == (5, 5)


class Patches(nn.Module):
    def __init__(self, side, patch, dim):
        super().__init__()
        self.patch = patch
        self.embed = nn.Linear(3 * patch * patch, dim)
        self.pos = nn.Parameter(torch.randn(1, (side // patch) * (side // patch), dim))

    def forward(self, images):
        b, c, h, w = images.shape
        p = self.patch
        x = images.reshape(b, c, h // p, p, w // p, p).permute(0, 2, 4, 3, 5, 1)
        x = self.embed(x.reshape(b, (h // p) * (w // p), 3 * p * p))
        _, n, _ = x.shape
        return x + self.pos[:, : n + 1]  # ends with the table: it once had a class token


def spectrum(x):
    if not torch.onnx.is_in_onnx_export():
        return torch.view_as_complex(x)
    return x


def filtered(x: torch.Tensor):
    b, n, _ = x.shape
    y = spectrum(x)
    if torch.onnx.is_in_onnx_export():
        y = y.reshape(b, n, 1, 2)
    else:
        y = y.reshape(b, n, 1)
    return y


def test_models():
    assert Patches(32, 8, 16)(torch.rand(2, 3, 32, 32)).shape == (2, 16, 16)
    assert filtered(torch.rand(2, 5, 2)).shape == (2, 5, 1)


class Flattened(nn.Module):
    def forward(self, x):
        b, c, u, v, h, w = x.shape
        return x.reshape(b, c, u, v * h, w)


class BothWays(nn.Module):
    """The sizes that one call unpacks are not those of the other."""

    def __init__(self):
        super().__init__()
        self.flat = nn.Sequential(Flattened(), nn.ReLU())

    def forward(self, x):
        return self.flat(x) + self.flat(x.permute(0, 2, 1, 3, 4, 5)).permute(0, 2, 1, 3, 4)


class Attended(nn.Module):
    """A size of the input that an einsum takes for one of the layer's is that from there on."""

    def __init__(self, span=6):
        super().__init__()
        self.span = span
        self.table = nn.Parameter(torch.randn(4, span, span))

    def forward(self, q):
        b, g, c, n = q.shape
        by_place = torch.einsum("bgci,cij->bgij", q, self.table)
        return torch.cat([torch.zeros(b, g, n, n), by_place], dim=1)


def masked(mask):
    b, t, t_ = mask.size()
    return mask + torch.ones(1, t, t)


def fused(maps: list[torch.Tensor], layers):
    """The first turn takes the last map."""
    x, j = torch.zeros(1), len(maps)
    for layer in layers:
        j -= 1
        if j < len(maps) - 1:
            x = nn.functional.interpolate(x, size=maps[j].shape[2:], mode="bilinear")
        x = x + layer(maps[j])
    return x


def outside(write, x):
    result = torch.empty(0)
    write(x, result)
    return result.index_select(1, torch.arange(2))


def test_sizes_of_each_call():
    assert BothWays()(torch.rand(2, 3, 4, 5, 6, 7)).shape == (2, 3, 4, 30, 7)
    assert Attended()(torch.rand(2, 3, 4, 6)).shape == (2, 6, 6, 6)
    assert masked(torch.zeros(2, 3, 3)).shape == (2, 3, 3)
    assert fused([torch.rand(1, 2, 8, 8), torch.rand(1, 2, 4, 4)], [nn.Identity(), nn.Identity()]).ndim == 4
    assert outside(lambda x, out: out.resize_(3, 4), torch.rand(2)).shape == (3, 2)


def test_wrong_on_purpose():
    def mismatched():
        return torch.rand(2, 3) @ torch.rand(4, 5)

    class Wrong(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(4, 8)
            self.second = nn.Linear(4, 8)

        def forward(self, x):
            return self.second(self.first(x))

    model = Wrong()
    with pytest.raises(RuntimeError):
        again = torch.no_grad()(mismatched)
        again()
    with pytest.raises(RuntimeError):
        model(torch.rand(2, 4))
    pytest.raises(RuntimeError, mismatched)


# run: test_what_helpers_make()
# run: test_layers_of_other_settings()
# run: test_adjoints()
# run: test_outer_on_purpose()
# run: test_models()
# run: test_sizes_of_each_call()
# run: test_wrong_on_purpose()
# run: n_step([transition() for _ in range(4)], 3)
