import torch
from jaxtyping import Float
from torch import Tensor
from torch.func import grad_and_value


def errors(params: dict[str, Tensor], x: Float[Tensor, "n d"], y: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
    return (x @ params["w"] - y).square()


def step(w: Float[Tensor, "d"], x: Float[Tensor, "n d"], y: Float[Tensor, "n"]) -> Float[Tensor, "d"]:
    def loss(w: Float[Tensor, "d"]) -> Tensor:
        return errors({"w": w}, x, y).mean()  #! return errors({"w": w}, x, y)

    slope, value = grad_and_value(loss)(w)  # E: shape
    return w - 0.1 * slope


# run: step(randn(3), randn(5, 3), randn(5))
