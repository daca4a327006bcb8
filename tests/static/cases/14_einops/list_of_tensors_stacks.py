from einops import rearrange
from jaxtyping import Float
from torch import Tensor


def stack_views(views: list[Float[Tensor, "c h w"]]) -> Float[Tensor, "n h w c"]:
    return rearrange(views, "n c h w -> n h w c")  #! return rearrange(views, "n c h w -> h w c n")  # E: shape


# run: stack_views([randn(3, 5, 7), randn(3, 5, 7)])
