import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

NUM_CLASSES = 10


def smoothed(y: Int[Tensor, "b"], logits: Float[Tensor, "b k"], eps: float) -> Float[Tensor, "b k"]:
    count = logits.shape[-1]
    hot = F.one_hot(y, count)  #! hot = F.one_hot(y, NUM_CLASSES + 1)
    return hot * (1 - eps) + eps / count  # E: shape


# run: smoothed(torch.randint(10, (3,)), randn(3, 10), 0.1)
