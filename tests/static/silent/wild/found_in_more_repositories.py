"""What more annotated repositories do: layers from local functions, the largest of many, sums of lists."""

from collections.abc import Callable, Sequence
from typing import TypeVar, Union

import numpy as np
import torch
from jaxtyping import Float, Float32, Float64
from torch import Tensor, nn


T = TypeVar("T")
Tree = Union[T, Sequence["Tree[T]"]]


class Residual(nn.Module):
    def __init__(self, width: int, context: int | None = None) -> None:
        super().__init__()
        if context is not None:
            self.first = nn.Linear(width + context, 8)
        else:
            self.first = nn.Linear(width, 8)

    def forward(self, x: Tensor, context: Tensor | None = None) -> Tensor:
        if context is None:
            return self.first(x)
        return self.first(torch.cat((x, context), dim=1))


class Coupling(nn.Module):
    def __init__(self, make: Callable[[int], nn.Module]) -> None:
        super().__init__()
        self.net = make(2)

    def forward(self, x: Tensor, context: Tensor | None = None) -> Tensor:
        return self.net(x, context)


class Flow(nn.Module):
    def __init__(self, context: int | None = None) -> None:
        super().__init__()

        def make(width: int) -> nn.Module:
            return Residual(width, context)

        self.coupling = Coupling(make)

    def forward(self, x: Tensor, context: Tensor | None = None) -> Tensor:
        return self.coupling(x, context)


def flows() -> None:
    for size in [None, 3]:
        context = None if size is None else torch.randn(3, size)
        assert Flow(size)(torch.randn(3, 2), context).shape == (3, 8)


def scaled_by(sizes: list[int]) -> list[Callable[[], Tensor]]:
    made = []
    for size in sizes:

        def ones(size: int = size) -> Tensor:
            return torch.ones(size)

        made.append(ones)
    return made


def without_extremes(x: Float[Tensor, "b l d"], k: int) -> Float[Tensor, "b l d"]:
    top = x.topk(k, dim=-1)
    return x.scatter(dim=-1, index=top.indices, src=torch.zeros_like(x))


def flat_list(parts: list[list[int]]) -> int:
    return len(sum(parts, [])) + len(sum([[1, 2], [3]], []))  # noqa: RUF017 - what programs write


def summed(x: Float[Tensor, "n"], start: Float[Tensor, "m n"]) -> Float[Tensor, "m n"]:
    return sum([x, x], start)


def cameras(matrices: list[Float32[np.ndarray, "3 4"]], kept: list[int]) -> Float32[np.ndarray, "n 3 4"]:
    every: Float32[np.ndarray, "m 3 4"] = np.array([m for m in matrices])
    return np.asarray([every[i] for i in kept])


def in_double(x: Float32[np.ndarray, "n"], k: int) -> Float64[np.ndarray, "2"]:
    assert np.array([x[0], k]).dtype == np.array([x, [1.0] * len(x)]).dtype == np.float64
    return np.array([x[0], 1.0])


class Grid:
    """Two tensors that are set through one method, by name."""

    def __init__(self, densities: Tensor, features=None) -> None:
        self._densities = densities
        self._features = None
        if features is not None:
            self._set_features(features)

    def _set_features(self, features: Tensor) -> None:
        self._set("features", features)

    def _set(self, name: str, value: Tensor) -> None:
        if value.ndim != 5:
            raise ValueError(f"{name} has {value.ndim} axes")
        setattr(self, "_" + name, value)

    def rendered(self):
        kept = self._densities if self._features is None else torch.cat((self._features, self._densities), 1)
        return kept.amax((2, 3, 4))


def opacity() -> Tensor:
    grid = Grid(torch.rand(4, 1, 5, 5, 5), torch.rand(4, 3, 5, 5, 5))
    return grid.rendered()[:, 3]


def leaves(tree: Tree[Float[Tensor, "b d"]]) -> list[Float[Tensor, "b d"]]:
    if isinstance(tree, Tensor):
        return [tree]
    return [leaf for part in tree for leaf in leaves(part)]


class Conv(nn.Conv2d):
    """One step, or several at once, as it is told later."""

    def __init__(self, *sizes: int) -> None:
        super().__init__(*sizes)
        self.mode = "s"

    def forward(self, x: Tensor) -> Tensor:
        if self.mode == "s":
            return super().forward(x)
        return super().forward(x.flatten(0, 1)).unflatten(0, x.shape[:2])


def set_mode(net: nn.Module, mode: str) -> None:
    modules = [net]
    while modules:
        module = modules.pop()
        if hasattr(module, "mode"):
            module.mode = mode
        modules.extend(module.children())


class Spiking(nn.Module):
    def __init__(self, loops: bool) -> None:
        super().__init__()
        self.body = nn.Sequential(Conv(1, 4, 3), nn.ReLU(), Conv(4, 4, 3))
        if loops:
            for module in self.modules():
                if isinstance(module, Conv):
                    module.mode = "m"
        else:
            set_mode(self, "m")

    def forward(self, x: Tensor) -> Tensor:
        return self.body(x.unsqueeze(0).expand(5, -1, -1, -1, -1)).mean(0)


def shown() -> None:
    try:
        print(torch.tensor([1, 2, 3]).mean())
    except Exception as e:  # noqa: BLE001 - what programs write
        print("refused:", e)


# run: flows()
# run: cameras([np.zeros((3, 4), np.float32)] * 3, [0, 2])
# run: in_double(np.ones(3, np.float32), 2)
# run: opacity()
# run: leaves([randn(2, 3), [randn(2, 3), [randn(2, 3)]]])
# run: [Spiking(loops)(randn(2, 1, 9, 9)) for loops in (True, False)]
# run: shown()
# run: [f() for f in scaled_by([2, 3])]
# run: without_extremes(randn(2, 3, 8), 4)
# run: flat_list([[1], [2, 3]])
# run: summed(randn(4), randn(3, 4))
