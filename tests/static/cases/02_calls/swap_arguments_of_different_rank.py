import torch
from jaxtyping import Float, Int
from torch import Tensor


def lookup(table: Float[Tensor, "vocab dim"], ids: Int[Tensor, "*shape"]) -> Float[Tensor, "*shape dim"]:
    return table[ids]


def embed(table: Float[Tensor, "v d"], ids: Int[Tensor, "b s"]) -> Float[Tensor, "b s d"]:
    return lookup(table, ids)  #! return lookup(ids, table)  # E: dtype  # e: shape


# run: embed(randn(11, 3), randint(0, 11, (2, 5)))
