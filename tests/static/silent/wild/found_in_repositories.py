"""What annotated repositories do: lists by key, pictures of one size, axes of one, numbers of numpy."""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int8
from torch import Tensor, nn

AnyArray = TypeVar("AnyArray", np.ndarray, Tensor)


def renders_by_scene(
    images: list[Float[Tensor, "_ c h w"]], scenes: list[str]
) -> dict[str, Float[Tensor, "_ c h w"]]:
    kept: dict[str, Any] = {}
    for scene, image in zip(scenes, images):
        if scene not in kept:
            kept[scene] = []
        for i, one in enumerate(image):
            kept[scene].append((i, one))
    made = {}
    for scene in kept.keys():
        _, ones = zip(*kept[scene])
        made[scene] = torch.stack(ones)
    return made


def either_list(start: Float[Tensor, "b d"], more: Float[Tensor, "c d"], name: str) -> Float[Tensor, "b+c d"]:
    kept = {"train": [start], "test": [start]}
    kept[name].append(more)
    return torch.cat(kept["test"])


def one_of_two(start: Float[Tensor, "b d"], more: Float[Tensor, "c d"], i: int) -> Float[Tensor, "b+c d"]:
    kept = [[start], [start]]
    kept[i] += [more]
    kept[i - 1].append(more)
    return torch.cat(kept[1])


class Digits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.pool = nn.MaxPool2d(2, 2)
        self.out = nn.Linear(4 * 14 * 14, 10)

    def forward(self, x: Float[Tensor, "batch 1 height width"]) -> Float[Tensor, "batch 10"]:
        x = self.pool(torch.relu(self.conv(x)))
        return self.out(x.view(-1, 4 * 14 * 14))


class Critic(nn.Module):
    def __init__(self, d: int, outputs: int = 1) -> None:
        super().__init__()
        self.value = nn.Linear(d, outputs)

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b"]:
        return self.value(x).squeeze(-1)


def standardised(disp: Float[Tensor, "n h w"]) -> Float[Tensor, "n hw"]:
    flat = disp.flatten(1, 2)
    return flat / flat.abs().mean(-1, keepdim=True)


def disparity(depth: Float[Tensor, "b v h w c"]) -> Float[Tensor, "n hw"]:
    return standardised(1 / depth.flatten(0, 1).squeeze(-1))


def ray(angles: Float[Tensor, "*#batch dim"], z: Float[Tensor, "*#batch"]) -> Float[Tensor, "*batch dim+1"]:
    angles = angles * angles.new_tensor([2 * np.pi, np.pi]) - angles.new_tensor([np.pi, np.pi / 2])
    x, y = angles[..., 0], angles[..., 1]
    return torch.stack([y.cos() * x.sin(), y.sin(), y.cos() * x.cos()], dim=-1) * z[..., None]


def module_of(x: AnyArray) -> Any:
    return np if isinstance(x, np.ndarray) else torch


def project(points: AnyArray) -> AnyArray:
    xnp = module_of(points)
    return xnp.stack((points[..., 0] / points[..., 2], points[..., 1] / points[..., 2]), -1)


def reprojected(
    xy: Float[np.ndarray, "1 n 2"], points: Float[np.ndarray, "m n 3"]
) -> Float[np.ndarray, "m n 2"]:
    seen = project(points)
    return np.broadcast_to(xy, seen.shape) - seen


def step(x: float | np.floating | Float[np.ndarray, "n"], p: float) -> Any:
    return np.tanh(np.multiply(x, p))


def steps(xs: Float[np.ndarray, "n"], p: float) -> list[Any]:
    return [step(x, p) for x in xs] + [step(xs.mean(), p), step(xs, p)]


def visited(cells: Bool[np.ndarray, "x y"], at: Int8[np.ndarray, "2"]) -> bool:
    return bool(cells[at[0], at[1]])


def doubles(n: int) -> Float[np.ndarray, "n n"]:
    grid = -np.ones((n, n), dtype=float)
    return grid @ np.zeros((n, n), dtype=np.float64)


def doubled(x: Float[Tensor, "n d"]) -> Float[Tensor, "n 2"]:
    return x.double() @ torch.ones((x.shape[1], 2), dtype=float)


@dataclass
class Splats:
    means: Float[Tensor, "*batch 3"]
    rotations: Float[Tensor, "*batch 4"]


def splats(n: int) -> Float[Tensor, "n 7"]:
    made = Splats(torch.zeros(n, 3), torch.ones(n, 4))
    return torch.cat([made.means, made.rotations], -1)


def left(m: Float[Tensor, "r c"], v: Float[Tensor, "r"] | Float[Tensor, "n r"]) -> Float[Tensor, "..."]:
    return v @ m


def right(m: Float[Tensor, "r c"], v: Float[Tensor, "c"] | Float[Tensor, "c n"]) -> Float[Tensor, "..."]:
    return m @ v


def either_side(
    m: Float[Tensor, "r c"],
    v: Float[Tensor, "r"] | Float[Tensor, "n r"] | Float[Tensor, "c"] | Float[Tensor, "c n"],
    side: str,
) -> Float[Tensor, "..."]:
    if side == "left":
        return left(m, v)
    elif side == "right":
        return right(m, v)
    else:
        raise ValueError(side)


class CausalConv(nn.Conv1d):
    """Pads in front by hand, and tells the layer that it need not."""

    def __init__(self, channels: int, width: int) -> None:
        super().__init__(channels, channels, width, padding=width - 1)
        self.left = self.padding[0]
        self.padding = (0,)

    def forward(self, x: Float[Tensor, "batch channels time"]) -> Float[Tensor, "batch channels time"]:
        return super().forward(F.pad(x, (self.left, 0)))


# run: either_side(torch.rand(3, 4), torch.rand(3), "left"), either_side(torch.rand(3, 4), torch.rand(4), "right")
# run: renders_by_scene([torch.rand(2, 3, 4, 4), torch.rand(3, 3, 4, 4)], ["a", "b"])
# run: either_list(torch.rand(2, 3), torch.rand(4, 3), "test"), one_of_two(torch.rand(2, 3), torch.rand(4, 3), 1)
# run: Digits()(torch.rand(3, 1, 28, 28)), Critic(4)(torch.rand(2, 4)), disparity(torch.rand(2, 3, 4, 5, 1) + 1)
# run: ray(torch.rand(5, 2), torch.rand(5)), ray(torch.rand(2), torch.rand(()))
# run: reprojected(np.zeros((1, 4, 2)), np.ones((3, 4, 3))), project(torch.ones(2, 3))
# run: steps(np.linspace(0, 1, 5), 0.5), visited(np.ones((3, 3), dtype=bool), np.array([1, 2], dtype=np.int8))
# run: doubles(3), doubled(torch.rand(3, 4)), splats(3)
# run: CausalConv(4, 3)(randn(2, 4, 10))
