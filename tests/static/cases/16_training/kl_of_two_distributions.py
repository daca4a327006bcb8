import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def distillation(student: Float[Tensor, "b c"], teacher: Float[Tensor, "b c"], t: float) -> Float[Tensor, ""]:
    p = F.log_softmax(student / t, dim=-1)
    q = F.softmax(teacher / t, dim=-1)
    return F.kl_div(p, q, reduction="batchmean") * t * t  #! return F.kl_div(p, q, reduction="none") * t * t  # E: shape


# run: distillation(randn(3, 5), randn(3, 5), 2.0)
