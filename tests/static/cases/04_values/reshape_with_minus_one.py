from jaxtyping import Float
from torch import Tensor


def per_group(x: Float[Tensor, "b c t"], groups: int) -> Float[Tensor, "b {groups} c//{groups} t"]:
    b, c, t = x.shape
    return x.view(b, groups, -1, t)  #! return x.view(b, -1, groups, t)  # E: shape


# run: per_group(randn(2, 15, 7), 3)
