from jaxtyping import Float
from torch import Tensor, nn


class Stem(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.stem = nn.Linear(width, 2 * width)


class Normed(Stem):
    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.norm = nn.LayerNorm(2 * width)


class Gated(Normed):
    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.gate = nn.Linear(2 * width, 2 * width)


class Scaled(Gated):
    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.scale = nn.Parameter(self.norm.weight.new_ones(2 * width))


class Block(Scaled):
    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.out = nn.Linear(2 * width, width)  #! self.out = nn.Linear(width, width)

    def forward(self, x: Float[Tensor, "batch width"]) -> Float[Tensor, "batch width"]:
        h = self.norm(self.stem(x))
        return self.out(h * self.gate(h).sigmoid() * self.scale)  # E: shape


# run: Block(4)(randn(2, 4))
