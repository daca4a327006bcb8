import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def embed(ids: Int[Tensor, "b s"], table: Float[Tensor, "v d"]) -> Float[Tensor, "b s d"]:
    return F.embedding(ids, table)  #! return F.embedding(ids, table.T)  # E: shape


# run: embed(randint(0, 3, (2, 5)), randn(11, 3))
