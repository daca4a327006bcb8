from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

Loss = Callable[[Float[Tensor, "b d"], Float[Tensor, "b d"]], Float[Tensor, "b"]]


def l1(a: Float[Tensor, "b d"], b: Float[Tensor, "b d"]) -> Float[Tensor, "b"]:
    return (a - b).abs().mean(-1)


def l2(a: Float[Tensor, "b d"], b: Float[Tensor, "b d"]) -> Float[Tensor, "b"]:
    return (a - b).square().mean(-1)


LOSSES: dict[str, Loss] = {"l1": l1, "l2": l2}


def evaluate(name: str, pred: Float[Tensor, "n k"], target: Float[Tensor, "n k"]) -> Float[Tensor, "n"]:
    return LOSSES[name](pred, target)  #! return LOSSES[name](pred, target.T)  # E: shape


# run: evaluate("l2", randn(3, 5), randn(3, 5))
