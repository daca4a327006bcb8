from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

Layer = Callable[[Float[Tensor, "b d"]], Float[Tensor, "b d"]]


def relu(x: Float[Tensor, "*any"]) -> Float[Tensor, "*any"]:
    return x.clamp_min(0)


def project(x: Float[Tensor, "batch d_in"]) -> Float[Tensor, "batch d_out"]:
    return x @ torch.randn(x.shape[-1], x.shape[-1])


def sixty_four(x: Float[Tensor, "n 64"]) -> Float[Tensor, "n 64"]:
    return x * 2


def scaled(x: Float[Tensor, "b d"], by: float = 2.0) -> Float[Tensor, "b d"]:
    return x * by


def residual(layer: Layer, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    return x + layer(x)


def stack(x: Float[Tensor, "n 64"]) -> Float[Tensor, "n 64"]:
    for layer in (relu, project, sixty_four, scaled):
        x = residual(layer, x)
    return residual(torch.tanh, residual(lambda h: h.sigmoid(), residual(relu, x)))


# run: stack(randn(3, 64))
