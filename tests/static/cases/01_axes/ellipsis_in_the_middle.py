from jaxtyping import Float
from torch import Tensor


def channel_stats(x: Float[Tensor, "b c ..."]) -> Float[Tensor, "b c"]:
    return x.flatten(2).mean(-1)


def style(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "c"]:
    return channel_stats(x).mean(0)  #! return channel_stats(x).mean(1)  # E: shape


# run: style(randn(2, 3, 5, 7))
