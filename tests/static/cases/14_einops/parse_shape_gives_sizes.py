from einops import parse_shape, rearrange
from jaxtyping import Float
from torch import Tensor


def per_frame(x: Float[Tensor, "b t c h w"], w: Float[Tensor, "k c"]) -> Float[Tensor, "b t k h w"]:
    sizes = parse_shape(x, "b t _ _ _")
    flat = rearrange(x, "b t c h w -> (b t) h w c") @ w.T
    return rearrange(flat, "(b t) h w k -> b t k h w", **sizes)  #! return rearrange(flat, "(b t) h w k -> b t h w k", **sizes)  # E: shape


# run: per_frame(randn(2, 3, 4, 5, 7), randn(11, 4))
