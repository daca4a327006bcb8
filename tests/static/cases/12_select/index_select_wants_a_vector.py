import torch
from jaxtyping import Float, Int
from torch import Tensor


def rows(table: Float[Tensor, "v d"], ids: Int[Tensor, "b s"]) -> Float[Tensor, "b s d"]:
    picked = table.index_select(0, ids.flatten())  #! picked = table.index_select(0, ids)  # E: shape
    return picked.view(*ids.shape, -1)


# run: rows(randn(11, 3), randint(0, 11, (2, 5)))
