"""Tensors of one element where Python wants a number, and texts of others."""

import math
from operator import itemgetter

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor


def numbers(x: Float[Tensor, "b d"]) -> str:
    low, high = min(x.min(), 0.0), max(x.max(), x.min(), torch.tensor(0.5))
    rows = max(x, key=lambda row: row.sum().item())
    pair = max((x.sum().item(), x), (x.sum().item() - 1, x), key=itemgetter(0))
    spread = math.sqrt(x.var()) + math.exp(x[:1, :1]) + math.log(np.abs(x.numpy()).max())
    counts = [i for i in range(x.argmax()) for _ in range(torch.tensor([2]))]
    return f"{low:.3f} {high:>8.3} {x.mean():.2e} {rows} {pair[1]!r:>5} {spread:.1f} {counts} {x!s:>20} {x.shape!s:>9}"


def by_name(x: Float[Tensor, "b d"], width: int) -> str:
    return f"{x.numpy().mean():{width}.3f} {'all':>{width}} {x}" + f"{(y := x.sum()):.3f}" + f"{y:.1f}"


# run: numbers(randn(3, 2))
# run: by_name(randn(3, 2), 9)
