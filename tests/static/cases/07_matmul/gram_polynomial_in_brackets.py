import torch
from jaxtyping import Float, jaxtyped
from torch import Tensor


def polynomial(x: Float[Tensor, "rows cols"], w: Float[Tensor, "cols k"], b: float) -> Float[Tensor, "rows k"]:
    gram = x @ x.T
    return (b * gram + gram @ gram) @ (x @ w)


def whitened(x: Float[Tensor, "rows cols"], b: float) -> Float[Tensor, "cols cols"]:
    gram = x.T @ x
    return b * gram + gram @ gram


def turned(x: Float[Tensor, "rows cols"], y: Float[Tensor, "k rows"]) -> Float[Tensor, "cols k"]:
    return (2.0 * x + x).T @ y.T  #! return (2.0 * x + x) @ y.T  # E: shape


# run: polynomial(randn(3, 4), randn(4, 2), 0.5), whitened(randn(3, 4), 0.5), turned(randn(3, 4), randn(2, 3))
