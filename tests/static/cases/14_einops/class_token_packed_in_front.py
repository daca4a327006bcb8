from einops import pack, repeat, unpack
from jaxtyping import Float
from torch import Tensor


def through(tokens: Float[Tensor, "b n d"], cls: Float[Tensor, "d"]) -> Float[Tensor, "b n d"]:
    first = repeat(cls, "d -> b d", b=tokens.shape[0])
    joined, shapes = pack([first, tokens], "b * d")  #! joined, shapes = pack([cls, tokens], "b * d")  # E: shape
    _, rest = unpack(joined.softmax(-1), shapes, "b * d")
    return rest


# run: through(randn(2, 5, 6), randn(6))
