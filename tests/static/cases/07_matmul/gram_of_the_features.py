import torch
from jaxtyping import Float
from torch import Tensor


def center(K: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
    return K - K.mean(0, keepdim=True) - K.mean(1, keepdim=True) + K.mean()


def linear_cka(X: Float[Tensor, "n p"], Y: Float[Tensor, "n q"]) -> Float[Tensor, ""]:
    Kx, Ky = center(X @ X.T), center(Y @ Y.T)  #! Kx, Ky = center(X.T @ X), center(Y.T @ Y)
    hsic = (Kx * Ky).sum()  # E: shape
    return hsic / (Kx.norm() * Ky.norm())


# run: linear_cka(randn(10, 3), randn(10, 4))
