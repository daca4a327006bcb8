import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor


def windows(data: Int[np.ndarray, "total"], starts: Int[Tensor, "n"], ctx: int) -> Int[Tensor, "n ctx"]:
    return torch.stack([torch.from_numpy(data[i : i + ctx]) for i in starts])


def scored(data: Int[np.ndarray, "total"], weight: Float[Tensor, "ctx"], starts: Int[Tensor, "n"]) -> Float[Tensor, "n"]:
    n = len(weight)
    return windows(data, starts, n) @ weight.long() / n  #! return windows(data, starts, n + 1) @ weight.long() / n  # E: shape


# run: scored(np.arange(20), randn(4), torch.tensor([0, 3, 7]))
