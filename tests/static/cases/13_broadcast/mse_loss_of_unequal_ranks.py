import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def regression(pred: Float[Tensor, "n 1"], target: Float[Tensor, "n"]) -> Float[Tensor, ""]:
    return F.mse_loss(pred, target[:, None])  #! return F.mse_loss(pred, target)  # E: broadcast


# quiet: torch only warns
# run: regression(randn(5, 1), randn(5))
