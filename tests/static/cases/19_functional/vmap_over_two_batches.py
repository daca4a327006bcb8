import torch
from jaxtyping import Float
from torch import Tensor


def similarities(queries: Float[Tensor, "q d"], keys: Float[Tensor, "k d"]) -> Float[Tensor, "q k"]:
    each = torch.vmap(torch.vmap(torch.dot, in_dims=(None, 0)), in_dims=(0, None))
    return each(queries, keys)  #! return torch.vmap(torch.vmap(torch.dot))(queries, keys)  # E: shape


# run: similarities(torch.zeros(2, 4), torch.zeros(3, 4))
