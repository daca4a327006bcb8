from jaxtyping import Float
from torch import Tensor


def orthogonal(g: Float[Tensor, "m n"], steps: int = 5) -> Float[Tensor, "m n"]:
    x = g / g.norm()
    transposed = g.shape[0] > g.shape[1]
    if transposed:
        x = x.T
    for _ in range(steps):
        a = x @ x.T
        x = 3 * x + a @ x  #! x = 3 * x + x @ a  # E: shape
    return x.T if transposed else x


def normalised(x: Float[Tensor, "b t d"], scale: Float[Tensor, "d"], first: bool) -> Float[Tensor, "b t d"]:
    if first:
        x = x.transpose(1, 2)
    for _ in range(2):
        x = x * (scale[:, None] if first else scale)  #! x = x * scale  # E: shape
    return x.transpose(1, 2) if first else x


# run: orthogonal(randn(3, 5)), orthogonal(randn(5, 3)), normalised(randn(2, 3, 4), randn(4), True)
