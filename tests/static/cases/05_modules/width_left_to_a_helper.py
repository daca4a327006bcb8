from jaxtyping import Float
from torch import Tensor, nn


def exists(value):
    return value is not None


def default(value, otherwise):
    if exists(value):
        return value
    return otherwise() if callable(otherwise) else otherwise


class Modulated(nn.Module):
    def __init__(self, width: int, out: int | None = None, *, condition: int) -> None:
        super().__init__()
        out = default(out, width)
        self.conv = nn.Conv2d(width, out, 3, padding=1)
        self.scale_and_shift = nn.Linear(condition, 2 * out)  #! self.scale_and_shift = nn.Linear(condition, out)

    def forward(
        self, x: Float[Tensor, "batch width high wide"], given: Float[Tensor, "batch condition"]
    ) -> Float[Tensor, "batch out high wide"]:
        scale, shift = self.scale_and_shift(given)[:, :, None, None].chunk(2, dim=1)
        return self.conv(x) * (1 + scale) + shift  # E: shape


class Gated(nn.Module):
    def __init__(self, width: int, hidden: int | None = None) -> None:
        super().__init__()
        hidden = default(hidden, lambda: 4 * width)
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x: Float[Tensor, "batch width"]) -> Float[Tensor, "batch width"]:
        return self.down(self.up(x).relu())


# run: Modulated(4, condition=5)(randn(2, 4, 6, 7), randn(2, 5))
# run: Modulated(4, 8, condition=5)(randn(2, 4, 6, 7), randn(2, 5))
# run: Gated(4)(randn(2, 4)), Gated(4, 3)(randn(2, 4))
