from jaxtyping import Float
from torch import Tensor


def gram(g: Float[Tensor, "m n"]) -> Float[Tensor, "k k"]:
    if g.size(0) > g.size(1):
        g = g.T
    return g @ g.T  #! return g @ g  # E: shape


def shorter(g: Float[Tensor, "m n"]) -> Float[Tensor, "k k"]:
    m, n = g.shape
    x = g.T if m > n else g
    return x @ x.T  #! return x.T @ x.T  # E: shape


# run: gram(randn(3, 5)), gram(randn(5, 3)), shorter(randn(3, 5)), shorter(randn(5, 3))
