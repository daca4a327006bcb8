"""Annotations that are loose, and run: a step for each of the batch as an int, a number as a tensor."""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def noisy(x: Float[Tensor, "batch dim"], step: int, scale: Float[Tensor, ""]) -> Float[Tensor, "batch dim"]:
    return x + scale * torch.as_tensor(step).view(-1, 1)


def noised(x: Float[Tensor, "batch dim"], steps: Int[Tensor, "batch"]) -> Float[Tensor, "batch dim"]:
    return noisy(x, steps, 0.1)


def best(logits: Float[Tensor, "n c"], labels: Int[Tensor, "n"], k: int) -> Float[Tensor, "*some"]:
    pred = logits.topk(5, 1).indices.t()
    correct = pred.eq(labels.expand_as(pred))
    first = correct[:1].view(-1).float().mean()
    return first + correct[:k].reshape(-1).float().mean()


# run: best(torch.rand(6, 7), torch.randint(7, (6,)), 5)
