from beartype import beartype
from jaxtyping import Float, jaxtyped
from torch import Tensor

LOSSES = {}


def loss(function):
    checked = jaxtyped(function, typechecker=beartype)
    LOSSES[function.__name__] = checked
    return checked


@loss
def squared(x: Float[Tensor, "n d"], y: Float[Tensor, "n d"]) -> Float[Tensor, "n"]:
    return (x - y).pow(2).mean(1)


def total(x: Float[Tensor, "n d"], y: Float[Tensor, "n d"]) -> Float[Tensor, ""]:
    return squared(x, y).sum()  #! return squared(x.T, y).sum()  # E: shape


# run: total(randn(2, 3), randn(2, 3))
