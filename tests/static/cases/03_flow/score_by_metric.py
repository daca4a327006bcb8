import torch
from jaxtyping import Float
from torch import Tensor


def similarity(
    queries: Float[Tensor, "batch q d"], keys: Float[Tensor, "batch k d"], metric: str
) -> Float[Tensor, "batch q k"]:
    if metric == "dot":
        scores = queries @ keys.mT  #! scores = keys @ queries.mT
    elif metric == "euclidean":
        scores = -torch.cdist(queries, keys)
    else:
        raise ValueError(metric)
    return scores / queries.shape[-1] ** 0.5  # E: shape


# run: similarity(randn(2, 5, 3), randn(2, 4, 3), "dot")
