from jaxtyping import Float
from torch import Tensor


def centred(
    x: Float[Tensor, "n dim"], row: Float[Tensor, "dim"], column: Float[Tensor, "n"]
) -> Float[Tensor, "n dim"]:
    def shifted(by: Float[Tensor, "width"]) -> Tensor:
        return x - by

    return shifted(row)  #! return shifted(column)  # E: shape


def scaled(x: Float[Tensor, "n dim"]) -> Tensor:
    def by(gain: Float[Tensor, "width"], bias: Float[Tensor, "k"]) -> Tensor:
        return x * gain + bias.sum()  #! return x * gain + (gain + bias)  # E: shape

    return by(x[0], x[:, 0])


# run: centred(randn(4, 3), randn(3), randn(4)); scaled(randn(4, 3))
