from jaxtyping import Bool, Float
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


def attended(q: Float[Tensor, "b i d"], k: Float[Tensor, "b j d"], keep: Bool[Tensor, "i j"]) -> Tensor:
    def masked(mask: Bool[Tensor, "n m"]) -> Tensor:
        scores = q @ k.mT  #! scores = q @ k  # E: shape
        return scores.masked_fill(~mask, 0.0)

    return masked(keep)


def weighted(values: Float[Tensor, "b j d"], weights: Float[Tensor, "i j"]) -> Tensor:
    def by(w: Float[Tensor, "n m"]) -> Tensor:
        return w.expand(len(values), -1, -1).bmm(values)  #! return w.bmm(values)  # E: shape

    return by(weights)


def centre(x: Float[Tensor, "n dim"]) -> Tensor:
    def scaled_by(gain: float) -> Float[Tensor, "width"]:
        return gain * x.mean(0)  #! return gain * x  # E: shape

    return scaled_by(2.0)


# run: centred(randn(4, 3), randn(3), randn(4)); scaled(randn(4, 3)); centre(randn(4, 3)); attended(randn(2, 3, 4), randn(2, 5, 4), randn(3, 5) > 0); weighted(randn(2, 5, 4), randn(3, 5))
