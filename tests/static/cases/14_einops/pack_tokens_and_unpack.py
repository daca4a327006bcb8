from einops import pack, unpack
from jaxtyping import Float
from torch import Tensor


def join(cls: Float[Tensor, "b d"], tokens: Float[Tensor, "b n d"], w: Float[Tensor, "d d"]) -> tuple[Float[Tensor, "b d"], Float[Tensor, "b n d"]]:
    packed, shapes = pack([cls, tokens], "b * d")
    first, rest = unpack(packed @ w, shapes, "b * d")
    return first, rest  #! return rest, first  # E: shape


# run: join(randn(2, 5), randn(2, 3, 5), randn(5, 5))
