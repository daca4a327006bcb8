"""Objects of one class that are made with sizes which are not known: each has its own."""

import torch
from einops import einsum
from jaxtyping import Float
from torch import Tensor, nn


class Linear(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.weight: Float[Tensor, "d_out d_in"] = nn.Parameter(torch.empty(d_out, d_in))

    def forward(self, x: Float[Tensor, "... d_in"]) -> Float[Tensor, "... d_out"]:
        return einsum(x, self.weight, "... d_in, d_out d_in -> ... d_out")


class Classifier(nn.Module):
    """Layers whose sizes are read from a file keep as many axes as they are given."""

    def __init__(self, settings) -> None:
        super().__init__()
        width = settings["width"]()
        self.embed = nn.Embedding(settings["vocab"](), width)
        self.norm, self.scale = nn.RMSNorm(width), nn.LayerNorm(width)
        self.mix = nn.Linear(width, width)
        self.inner = Linear(width, 2 * width)
        self.outer = Linear(self.inner.weight.shape[0], settings["classes"]())

    def forward(self, x: Tensor) -> Tensor:
        b, t = x.shape
        y = self.mix(self.scale(self.norm(self.embed(x))))
        y = y.view(b, t, 2, -1).flatten(2)
        return self.outer(self.inner(y)).view(b * t, -1)


def chained(sizes, x: Tensor) -> Tensor:
    first, second = Linear(*sizes()), Linear(*sizes()[::-1])
    for _ in range(2):
        x = second(first(x))
    return x


class Given(nn.Module):
    """A layer of a weight that somebody else has read."""

    weight: Float[Tensor, "d_out d_in"]

    def __init__(self, weight) -> None:
        super().__init__()
        self.weight = weight

    def forward(self, x: Float[Tensor, "... d_in"]) -> Float[Tensor, "... d_out"]:
        return einsum(x, self.weight, "... d_in, d_out d_in -> ... d_out")


def read_and_chained(read, x: Tensor) -> Tensor:
    first, second = Given(read("first")), Given(read("second"))
    return second(first(x))


# run: assert read_and_chained({"first": randn(5, 3), "second": randn(4, 5)}.get, randn(2, 3)).shape == (2, 4)
# run: assert chained(lambda: (3, 5), randn(2, 3)).shape == (2, 3)
# run: made = Classifier({"width": lambda: 4, "vocab": lambda: 9, "classes": lambda: 3})
# run: assert made(torch.zeros(2, 5, dtype=torch.long)).shape == (10, 3)
