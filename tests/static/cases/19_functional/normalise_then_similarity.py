import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def alignment(a: Float[Tensor, "n d"], b: Float[Tensor, "n d"]) -> Float[Tensor, "n"]:
    return F.cosine_similarity(a, b, dim=-1)  #! return F.cosine_similarity(a, b, dim=0)  # E: shape


# run: alignment(randn(3, 5), randn(3, 5))
