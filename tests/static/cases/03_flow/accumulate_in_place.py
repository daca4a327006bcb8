import torch
from jaxtyping import Float, Int
from torch import Tensor


def gradient_of_table(
    ids: Int[Tensor, "n"], grads: Float[Tensor, "n d"], vocab: int
) -> Float[Tensor, "{vocab} d"]:
    table = torch.zeros(vocab, grads.shape[1])
    table.index_add_(0, ids, grads)
    return table  #! return table.t()  # E: shape


# run: gradient_of_table(randint(0, 11, (7,)), randn(7, 3), 11)
