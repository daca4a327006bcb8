import functools

import torch
from jaxtyping import Float
from torch import Tensor


def compose(a: Float[Tensor, "4 4"], b: Float[Tensor, "4 4"]) -> Float[Tensor, "4 4"]:
    return a @ b


def chain(poses: list[Float[Tensor, "4 4"]], points: Float[Tensor, "n 4"]) -> Float[Tensor, "n 4"]:
    total = functools.reduce(compose, poses)
    return points @ total.T  #! return total @ points  # E: shape


# run: chain([torch.eye(4)] * 3, randn(5, 4))
