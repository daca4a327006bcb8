import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def arcface(
    features: Float[Tensor, "b d"], weight: Float[Tensor, "k d"], labels: Int[Tensor, "b"], margin: float
) -> Float[Tensor, "b k"]:
    cosine = F.linear(F.normalize(features), F.normalize(weight))  #! cosine = F.linear(F.normalize(weight), F.normalize(features))
    angle = cosine.clamp(-0.99, 0.99).acos()
    return torch.cos(angle + margin * F.one_hot(labels, weight.shape[0]))  # E: shape


def redundancy(a: Float[Tensor, "n d"], b: Float[Tensor, "n d"], weight: float) -> Float[Tensor, ""]:
    c = a.T @ b / a.shape[0]
    eye = torch.eye(a.shape[1])
    return ((c - eye) ** 2 * (eye + weight * (1 - eye))).sum()


# run: arcface(randn(5, 3), randn(4, 3), randint(0, 4, (5,)), 0.2), redundancy(randn(6, 3), randn(6, 3), 0.1)
