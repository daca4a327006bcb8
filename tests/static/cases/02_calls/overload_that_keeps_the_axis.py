import torch
from jaxtyping import Float, Int
from torch import Tensor
from typing import Literal, overload


@overload
def pool(x: Float[Tensor, "b t d"], keep: Literal[True]) -> Float[Tensor, "b 1 d"]: ...
@overload
def pool(x: Float[Tensor, "b t d"], keep: Literal[False] = ...) -> Float[Tensor, "b d"]: ...
def pool(x, keep=False):
    return x.mean(1, keepdim=keep)


def centred(x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
    return x - pool(x, True)  #! return x - pool(x)  # E: shape


# run: centred(randn(2,3,4))
