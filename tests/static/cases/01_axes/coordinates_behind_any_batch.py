from jaxtyping import Float
from torch import Tensor


def centre(points: Float[Tensor, "*batch 3"]) -> Float[Tensor, "3"]:
    return points.reshape(-1, 3).mean(0)


def offset(cloud: Float[Tensor, "3 *batch"]) -> Float[Tensor, "3"]:
    return centre(cloud.movedim(0, -1))  #! return centre(cloud)  # E: shape


# run: offset(randn(3, 5, 7))
