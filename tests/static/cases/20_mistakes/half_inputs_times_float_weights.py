from jaxtyping import Float32
from torch import Tensor


def project(
    x: Float32[Tensor, "batch d_in"], weight: Float32[Tensor, "d_in d_out"]
) -> Float32[Tensor, "batch d_out"]:
    return x @ weight  #! return x.half() @ weight  # E: dtype


# run: project(randn(2, 3), randn(3, 4))
