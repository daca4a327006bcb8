from jaxtyping import Float, Int
from torch import Tensor


def accuracy(logits: Float[Tensor, "batch classes"], labels: Int[Tensor, "batch 1"]) -> Float[Tensor, ""]:
    predicted = logits.argmax(dim=1)
    return (predicted == labels.squeeze(1)).float().mean()  #! return (predicted == labels).float().mean()  # E: broadcast


# run: accuracy(randn(4, 3), randint(0, 3, (4, 1)))
# quiet: every prediction is compared with every label
