import torch
from jaxtyping import Float
from torch import Tensor


def boxes_and_classes(pred: Float[Tensor, "b n 85"]) -> tuple[Float[Tensor, "b n 4"], Float[Tensor, "b n 80"]]:
    box, objectness, classes = pred.split([4, 1, 80], dim=-1)  #! box, objectness, classes = pred.split([4, 1, 81], dim=-1)  # E: shape
    return box.sigmoid(), classes * objectness


# run: boxes_and_classes(randn(2, 3, 85))
