from jaxtyping import Float
from torch import Tensor


class Palette:
    colours: Float[Tensor, "n 3"]  #! colours: Float[Tensor, "n *3"]  # E: axes

    def __init__(self, colours: Float[Tensor, "n 3"]) -> None:
        self.colours = colours


# run: Palette(randn(5, 3))
