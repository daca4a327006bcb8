from jaxtyping import Float
from torch import Tensor


def area(boxes: Float[Tensor, "*batch 4"]) -> Float[Tensor, "*batch"]:
    x0, y0, x1, y1 = boxes.unbind(-1)  #! x0, y0, x1, y1 = boxes  # E: shape
    return (x1 - x0) * (y1 - y0)


# run: area(torch.rand(3, 4))
