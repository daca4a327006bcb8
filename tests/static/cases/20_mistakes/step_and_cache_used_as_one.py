import torch
from jaxtyping import Float, Int
from torch import Tensor


def step(table: Float[Tensor, "vocab d"], ids: Int[Tensor, "b t"], caches: list[Tensor] | None = None):
    x = table[ids]
    new = []
    for past in caches or []:
        new.append(torch.cat([past, x], 1))
    return x @ table.mT, new


def loss(table: Float[Tensor, "vocab d"], ids: Int[Tensor, "b t"]) -> Float[Tensor, ""]:
    logits, _ = step(table, ids[:, :-1])  #! logits = step(table, ids[:, :-1])
    return torch.nn.functional.cross_entropy(logits.transpose(1, 2), ids[:, 1:])  #! return torch.nn.functional.cross_entropy(logits.transpose(1, 2), ids[:, 1:])  # E: shape


def velocity(x: Float[Tensor, "n 2"]) -> Float[Tensor, "n"]:
    x = x.requires_grad_()
    (grad,) = torch.autograd.grad((x * x).sum(), x)  #! grad = torch.autograd.grad((x * x).sum(), x)
    along, _ = grad.unbind(dim=1)  #! along, _ = grad.unbind(dim=1)  # E: shape
    return along


# run: loss(randn(7, 4), torch.zeros(2, 5).long()), velocity(randn(3, 2))
