import torch
from jaxtyping import Float
from torch import Tensor
from typing import Callable


def make_codec(basis: Float[Tensor, "k d"]) -> tuple[Callable[[Float[Tensor, "n d"]], Float[Tensor, "n k"]], Callable[[Float[Tensor, "n k"]], Float[Tensor, "n d"]]]:
    return (lambda x: x @ basis.T), (lambda z: z @ basis)


def reconstruct(x: Float[Tensor, "n d"], basis: Float[Tensor, "k d"]) -> Float[Tensor, "n d"]:
    enc, dec = make_codec(basis)
    return dec(enc(x))  #! return dec(x)  # E: shape


# run: reconstruct(randn(5,4), randn(2,4))
