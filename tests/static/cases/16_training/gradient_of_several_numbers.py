import torch
from jaxtyping import Float
from torch import Tensor
from torch.func import grad, vmap


def per_sample(
    w: Float[Tensor, "d"], xs: Float[Tensor, "n d"], ys: Float[Tensor, "n"]
) -> Float[Tensor, "n d"]:
    def loss(w, x, y):
        return (w @ x - y) ** 2

    return vmap(grad(loss), in_dims=(None, 0, 0))(w, xs, ys)  #! return vmap(grad(loss), in_dims=(None, 0, None))(w, xs, ys)  # E: shape


# run: per_sample(randn(3), randn(5, 3), randn(5))
