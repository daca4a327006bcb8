import einops
from jaxtyping import Float
from torch import Tensor


def joined(tokens: Float[Tensor, "b n d"], image: Float[Tensor, "b h w d"]) -> Float[Tensor, "b n+h*w d"]:
    packed, _ = einops.pack([tokens, image], "b * d")  #! packed, _ = einops.pack([tokens, image], "... * d")  # E: einops
    return packed


def halves(x: Float[Tensor, "b 6"]) -> Float[Tensor, "b 3"]:
    first, second = einops.unpack(x, [[3], [3]], "b *")  #! first, second = einops.unpack(x, [[3], [3]], "1 *")  # E: einops
    return first + second


# run: joined(randn(2, 3, 4), randn(2, 5, 6, 4))
# run: halves(randn(2, 6))
