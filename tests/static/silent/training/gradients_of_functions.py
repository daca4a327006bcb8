"""What torch.func differentiates: one number for each sample, with and without what comes beside it."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.func import functional_call, grad, grad_and_value, jacrev, vmap


def score(log_prob, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
    return grad(lambda x: log_prob(x).sum())(x)


def energy(x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch"]:
    return -x.square().sum(-1)


def each(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    return vmap(grad(energy))(x)


def divergence(field: nn.Module, x: Float[Tensor, "n d"]) -> Float[Tensor, "n"]:
    return vmap(lambda v: jacrev(field)(v).diagonal().sum())(x)


def with_aux(model: nn.Linear, x: Float[Tensor, "n d"], y: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
    def loss(params: dict[str, Tensor], x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        out = functional_call(model, params, (x,))
        return (out - y).pow(2).mean(), out

    params = dict(model.named_parameters())
    grads, (value, out) = vmap(grad_and_value(loss, has_aux=True), in_dims=(None, 0, 0))(params, x, y)
    return value


# run: score(energy, randn(5, 3))
# run: each(randn(5, 3))
# run: divergence(nn.Linear(3, 3), randn(5, 3))
# run: with_aux(nn.Linear(3, 1), randn(5, 3), randn(5))
