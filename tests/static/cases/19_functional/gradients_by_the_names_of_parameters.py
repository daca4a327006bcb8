import torch
from jaxtyping import Float
from torch import Tensor


def loss(params: dict[str, Tensor], x: Float[Tensor, "b i"], y: Float[Tensor, "b o"]) -> Float[Tensor, ""]:
    return ((x @ params["weight"].T + params["bias"] - y) ** 2).mean()


def step(x: Float[Tensor, "b i"], y: Float[Tensor, "b o"], rate: float) -> dict[str, Tensor]:
    params = {"weight": torch.zeros(y.shape[1], x.shape[1]), "bias": torch.zeros(y.shape[1])}
    grads = torch.func.grad(loss)(params, x, y)
    weight = params["weight"] - rate * grads["weight"]  #! weight = params["weight"] - rate * grads["weights"]  # E: attribute
    return {"weight": weight, "bias": params["bias"] - rate * grads["bias"]}


# run: step(randn(4, 5), randn(4, 3), 0.1)
