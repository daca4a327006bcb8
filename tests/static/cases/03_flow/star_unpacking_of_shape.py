from jaxtyping import Float
from torch import Tensor


def group_norm(x: Float[Tensor, "b c *space"], groups: int) -> Float[Tensor, "b c *space"]:
    b, c, *space = x.shape
    g = x.reshape(b, groups, -1)
    g = (g - g.mean(-1, keepdim=True)) / (g.std(-1, keepdim=True) + 1e-5)
    return g.reshape(b, c, *space)  #! return g.reshape(c, b, *space)  # E: shape


# run: group_norm(randn(2, 6, 5, 7), 3)
