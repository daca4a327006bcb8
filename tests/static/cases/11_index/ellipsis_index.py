import torch
from jaxtyping import Float
from torch import Tensor


def area(boxes: Float[Tensor, "*batch 4"]) -> Float[Tensor, "*batch"]:
    x0, y0, x1, y1 = boxes.unbind(-1)
    return (x1 - x0) * (y1 - y0)


def widths(boxes: Float[Tensor, "*batch 4"]) -> Float[Tensor, "*batch"]:
    return boxes[..., 2] - boxes[..., 0]  #! return boxes[..., 2:] - boxes[..., :2]  # E: shape


# run: widths(randn(2, 3, 4))
