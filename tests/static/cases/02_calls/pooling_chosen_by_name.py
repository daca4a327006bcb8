import torch
from jaxtyping import Float
from torch import Tensor


def mean_pool(x: Float[Tensor, "b t d"]) -> Float[Tensor, "b d"]:
    return x.mean(1)


def cls_pool(x: Float[Tensor, "b t d"]) -> Float[Tensor, "b d"]:
    return x[:, 0]


def max_pool(x: Float[Tensor, "b t d"]) -> Float[Tensor, "b d"]:
    return x.max(1).values


POOLERS = {"mean": mean_pool, "cls": cls_pool, "max": max_pool}


def contrastive(a: Float[Tensor, "b t d"], c: Float[Tensor, "b s d"], kind: str) -> Float[Tensor, "b b"]:
    pool = POOLERS[kind]
    za, zc = pool(a), pool(c)
    return za @ zc.T  #! return za @ zc  # E: shape


# run: contrastive(randn(2,3,4), randn(2,5,4), "mean")
