import torch
from jaxtyping import Float
from torch import Tensor


def prune(tokens: Float[Tensor, "b n d"], scores: Float[Tensor, "b n"]) -> Float[Tensor, "b 16 d"]:
    index = scores.topk(16, dim=1).indices
    gather_index = index.unsqueeze(-1).expand(-1, -1, tokens.shape[-1])
    return tokens.gather(1, gather_index)  #! return tokens.gather(1, index)  # E: shape


# run: prune(randn(2, 32, 5), randn(2, 32))
