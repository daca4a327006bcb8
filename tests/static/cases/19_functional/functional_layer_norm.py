import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def pre_norm(x: Float[Tensor, "b s d"], w: Float[Tensor, "d"], b: Float[Tensor, "d"]) -> Float[Tensor, "b s d"]:
    return F.layer_norm(x, (x.shape[-1],), w, b)  #! return F.layer_norm(x, (x.shape[1],), w, b)  # E: shape


# run: pre_norm(randn(2, 3, 5), randn(5), randn(5))
