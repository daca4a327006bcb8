"""Models as functions of parameters: functional_call, grad, vmap, ensembles, MAML, jvp."""

from __future__ import annotations

from functools import partial
from typing import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.func import functional_call, grad, grad_and_value, hessian, jacrev, jvp, stack_module_state, vmap

Params = dict[str, Tensor]


def init_mlp(sizes: list[int]) -> list[tuple[Float[Tensor, "d_in d_out"], Float[Tensor, "d_out"]]]:
    return [(torch.randn(m, n) * m**-0.5, torch.zeros(n)) for m, n in zip(sizes[:-1], sizes[1:])]


def apply_mlp(params: list[tuple[Tensor, Tensor]], x: Float[Tensor, "batch d"]) -> Float[Tensor, "batch k"]:
    *hidden, (w_last, b_last) = params
    for w, b in hidden:
        x = torch.tanh(x @ w + b)
    return x @ w_last + b_last


class Net(nn.Module):
    def __init__(self, d: int, k: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(d, 11)
        self.fc2 = nn.Linear(11, k)

    def forward(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch k"]:
        return self.fc2(torch.tanh(self.fc1(x)))


def loss_one(model: nn.Module, params: Params, x: Float[Tensor, "d"], y: Int[Tensor, ""]) -> Float[Tensor, ""]:
    logits = functional_call(model, params, (x.unsqueeze(0),))
    return F.cross_entropy(logits, y.unsqueeze(0))


def per_sample_grads(model: nn.Module, x: Float[Tensor, "b d"], y: Int[Tensor, "b"]) -> Params:
    params = {k: v.detach() for k, v in model.named_parameters()}
    fn = partial(loss_one, model)
    return vmap(grad(fn), in_dims=(None, 0, 0))(params, x, y)


def ensemble(models: list[nn.Module], x: Float[Tensor, "b d"]) -> Float[Tensor, "models b k"]:
    params, buffers = stack_module_state(models)
    base = models[0]

    def call(p: Params, b: Params, data: Tensor) -> Tensor:
        return functional_call(base, (p, b), (data,))

    return vmap(call, in_dims=(0, 0, None))(params, buffers, x)


def sgd(params: Params, grads: Params, lr: float) -> Params:
    return {k: p - lr * grads[k] for k, p in params.items()}


def maml(model: nn.Module, xs: Float[Tensor, "tasks b d"], ys: Int[Tensor, "tasks b"], lr: float) -> Float[Tensor, ""]:
    params = dict(model.named_parameters())

    def objective(p: Params, x: Tensor, y: Tensor) -> Tensor:
        return F.cross_entropy(functional_call(model, p, (x,)), y)

    def adapted(x: Tensor, y: Tensor) -> Tensor:
        g, value = grad_and_value(objective)(params, x, y)
        return objective(sgd(params, g, lr), x, y) + 0 * value

    losses = torch.stack([adapted(x, y) for x, y in zip(xs, ys)])
    return losses.mean()


def gauss_newton(f: Callable[[Tensor], Tensor], x: Float[Tensor, "d"]) -> Float[Tensor, "d"]:
    j = jacrev(f)(x)
    r = f(x)
    return x - torch.linalg.lstsq(j, r[:, None]).solution.squeeze(-1)


def newton(f: Callable[[Tensor], Tensor], x: Float[Tensor, "d"]) -> Float[Tensor, "d"]:
    return x - torch.linalg.solve(hessian(f)(x), grad(f)(x))


def divergence(f: Callable[[Tensor], Tensor], xs: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n d"], Float[Tensor, "n"]]:
    def twice(x: Tensor) -> tuple[Tensor, Tensor]:
        y = f(x)
        return y, y

    jacobians, ys = vmap(jacrev(twice, has_aux=True))(xs)
    return ys, jacobians.diagonal(dim1=1, dim2=2).sum(-1)


def directional(f: Callable[[Tensor], Tensor], x: Float[Tensor, "n"], v: Float[Tensor, "n"]) -> Float[Tensor, "m"]:
    _, tangent = jvp(f, (x,), (v,))
    return tangent


def fit(params: list[tuple[Tensor, Tensor]], x: Float[Tensor, "b d"], y: Float[Tensor, "b k"], steps: int) -> float:
    for _ in range(steps):
        g = grad(lambda p: F.mse_loss(apply_mlp(p, x), y))(params)
        params = [(w - 0.1 * gw, b - 0.1 * gb) for (w, b), (gw, gb) in zip(params, g)]
    return F.mse_loss(apply_mlp(params, x), y).item()


# run: per_sample_grads(Net(5, 3), randn(7, 5), randint(0, 3, (7,)))
# run: ensemble([Net(5, 3) for _ in range(4)], randn(7, 5)); maml(Net(5, 3), randn(2, 7, 5), randint(0, 3, (2, 7)), 0.1)
# run: gauss_newton(lambda x: torch.cat([x * 2, x.sum()[None]]), randn(3)); newton(lambda x: (x**2).sum(), randn(3))
# run: divergence(lambda x: x.sin() * x.sum(), randn(4, 3))
# run: directional(lambda x: x[:2] * x[1], randn(5), randn(5)); fit(init_mlp([5, 7, 3]), randn(11, 5), randn(11, 3), 2)
