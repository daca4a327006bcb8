from typing import overload

import torch
from jaxtyping import Float
from torch import Tensor


@overload
def read(path: str) -> Float[Tensor, "n 3"]: ...
@overload
def read(path: str, colour: bool) -> Float[Tensor, "n 6"]: ...
def read(path: str, colour: bool = False) -> Tensor:
    return torch.randn(7, 6 if colour else 3)


def centre(points: Float[Tensor, "n 3"]) -> Float[Tensor, "n 3"]:
    return points - points.mean(0)


def load_cloud(path: str) -> Float[Tensor, "n 3"]:
    return centre(read(path))  #! return centre(read(path, True))  # E: shape


# run: load_cloud("a.ply")
