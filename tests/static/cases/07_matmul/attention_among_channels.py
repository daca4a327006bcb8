import torch
from jaxtyping import Float
from torch import Tensor


def attend(q: Float[Tensor, "b c n"], k: Float[Tensor, "b c n"], v: Float[Tensor, "b c n"]) -> Float[Tensor, "b c n"]:
    weight = (q.mT @ k).softmax(dim=-1)  #! weight = (q @ k.mT).softmax(dim=-1)
    return v @ weight.mT  # E: shape


# run: attend(randn(2, 3, 5), randn(2, 3, 5), randn(2, 3, 5))
