"""What is either an array or a tensor, numbers that arrays hold, tables that are completed, tests with values."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

SPECS = {task: {"width": width} for task, width in (("a", 3), ("b", 4))}
SPECS["a"].update(depth=2)
SPECS["b"].update(depth=4)
ROWS = [{"width": 3}, {"width": 4}]
for row in ROWS:
    row["depth"] = 2 * row["width"]


def layers_of(task: str, place: int) -> int:
    spec, row = SPECS[task], ROWS[place]
    return spec["width"] * spec["depth"] + row["depth"]


def converted(function, *arguments):
    given = [torch.from_numpy(a) if type(a) == np.ndarray else a for a in arguments]  # noqa: E721
    result = function(*given)
    if isinstance(result, tuple):
        result = list(result)
        for i, part in enumerate(result):
            if type(part) == Tensor:  # noqa: E721
                result[i] = part.numpy()
        return tuple(result)
    return result.numpy() if type(result) == Tensor else result  # noqa: E721


def furthest(rays: np.ndarray) -> np.ndarray:
    depths, _ = converted(lambda x, n: (x.sum(1, keepdim=True).expand(1, n), x), rays, 8)
    return depths.max(1) * np.ones((1, 3))


def on_the_sphere(u: np.ndarray, v) -> np.ndarray:
    if isinstance(v, float):
        v = np.repeat(np.array([v]), u.shape[0], axis=0)
    assert u.shape == v.shape
    return np.stack([np.cos(u) * np.sin(v), np.cos(v)], axis=-1)


def rings(count: int) -> list[np.ndarray]:
    u, levels = np.linspace(0, 1, 10), np.linspace(-1, 1, count + 2)[1:-1]
    return [on_the_sphere(u, levels[i]) for i in range(count)]


def streams(waves: Tensor, chosen=slice(None)) -> Tensor:
    places = np.array(range(len(waves)))[chosen]
    single = not isinstance(places, np.ndarray)
    taken = torch.stack([waves[i] for i in ([places] if single else places)])
    return taken[0] if single else taken


def first_stream(waves: Tensor) -> Tensor:
    channels, length = streams(waves, 0).size()
    return torch.zeros(channels, length)


@pytest.mark.parametrize("in_channels, out_channels", [(6, 6), (8, 8)])
def test_norms(in_channels: int, out_channels: int) -> None:
    nn.BatchNorm2d(out_channels)(torch.rand(2, in_channels, 7, 7))


class Preconditioned(nn.Module):
    """No axes are named here: two integers that a model is given may be one number."""

    def __init__(self, in_channels: int = 4, out_channels: int = 4) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.conv = nn.Conv2d(in_channels, out_channels, 3, padding=1)

    def model_class(self) -> type["Preconditioned"]:
        return type(self)

    def forward(self, x: Tensor) -> Tensor:
        x = x.reshape(x.shape[0], self.in_channels, 8, 8)
        return 0.5 * x + 0.5 * self.conv(x)


def with_maxima(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    from torch.nn.attention.flex_attention import AuxRequest, flex_attention

    out, aux = flex_attention(q, k, v, return_aux=AuxRequest(lse=True))
    return out * aux.lse[..., None]


def chosen_among_many(n: int) -> list[Tensor]:
    """More turns of loops in loops than are followed one by one."""
    found = []
    for a in range(8):
        for b in range(8):
            for c in range(8):
                for d in range(8):
                    if (a + b + c + d) % 7 == n:
                        found.append(torch.zeros(a + 1, b + 1, c + 1, d + 1))
    return found


# run: layers_of("a", 1)
# run: furthest(np.ones((1, 3)))
# run: rings(3)
# run: first_stream(torch.rand(2, 3, 5))
# run: test_norms(6, 6)
# run: Preconditioned()(torch.rand(2, 4, 64))
# run: chosen_among_many(2)
