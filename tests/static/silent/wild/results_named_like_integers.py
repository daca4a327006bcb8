"""An axis that only the result has, called like an integer of the constructor that is another size."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Project(nn.Module):
    def __init__(self, dim: int, out: int) -> None:
        super().__init__()
        self.fc = nn.Linear(dim, out)

    def forward(self, x: Float[Tensor, "batch feat"]) -> Float[Tensor, "batch dim"]:
        return self.fc(x)


class Pyramid(nn.Module):
    def __init__(self, d: int = 6, out: int = 8) -> None:
        super().__init__()
        self.fine, self.coarse = nn.Conv2d(d, out, 1), nn.Conv2d(2 * d, out, 1)

    def forward(
        self, fine: Float[Tensor, "b cf h w"], coarse: Float[Tensor, "b cc h w"]
    ) -> Float[Tensor, "b d h w"]:
        return self.fine(fine) + self.coarse(coarse)


class Detector(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pyramid = Pyramid()
        self.classes = nn.Conv2d(8, 3, 1)

    def forward(
        self, fine: Float[Tensor, "b cf h w"], coarse: Float[Tensor, "b cc h w"]
    ) -> Float[Tensor, "b k h w"]:
        return self.classes(self.pyramid(fine, coarse))


class Classes(nn.Module):
    """``k`` is the kernel's size to the constructor, and the number of classes to the result."""

    def __init__(self, channels: int, classes: int, k: int = 3) -> None:
        super().__init__()
        self.conv = nn.Conv1d(channels, classes, k, padding=k // 2)

    def forward(self, x: Float[Tensor, "b c t"]) -> Float[Tensor, "b k t"]:
        return self.conv(x)


def strongest(
    activations: Float[Tensor, "items"], windows: Float[Tensor, "rows seq"], length: int
) -> Float[Tensor, "chosen length"]:
    """``length`` is what the rows are long, though they are said to be ``seq``."""
    found = torch.zeros(len(windows), length) + activations.max()
    return found[: len(windows)] + windows


# run: Project(3, 5)(randn(2, 3))
# run: Pyramid(3, 7)(randn(2, 3, 5, 4), randn(2, 6, 5, 4))
# run: Detector()(randn(2, 6, 5, 4), randn(2, 12, 5, 4))
# run: Classes(3, 5)(randn(2, 3, 7))
# run: strongest(randn(4), randn(3, 5), 5)
