from jaxtyping import Float
from torch import Tensor


def centre(x: Float[Tensor, "batch dim"], weight: Float[Tensor, "dim out"]) -> Float[Tensor, "batch out"]:
    scale = 1.0 if x.shape[0] == 1 else x.std(0).mean()
    return (x * scale) @ weight  #! return (x * scale).T @ weight  # E: shape


# run: centre(randn(3, 5), randn(5, 7))
