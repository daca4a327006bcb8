import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def info_nce(a: Float[Tensor, "n d"], b: Float[Tensor, "n d"], temperature: float) -> Float[Tensor, ""]:
    logits = F.normalize(a, dim=1) @ F.normalize(b, dim=1).T / temperature
    labels = torch.arange(a.shape[0])  #! labels = torch.arange(a.shape[1])
    return F.cross_entropy(logits, labels)  # E: shape


# run: info_nce(randn(3, 5), randn(3, 5), 0.1)
