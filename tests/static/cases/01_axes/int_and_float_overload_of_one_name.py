import torch
from jaxtyping import Float, Int
from torch import Tensor


def bag(
    ids: Int[Tensor, "bag"], offsets: Int[Tensor, "batch"], table: Float[Tensor, "vocab dim"]
) -> Float[Tensor, "batch dim"]:
    return torch.nn.functional.embedding_bag(ids, table, offsets)  #! return torch.nn.functional.embedding(ids, table)  # E: shape


# run: bag(randint(0, 11, (7,)), torch.tensor([0, 3, 5]), randn(11, 3))
