import torch
from jaxtyping import Float
from torch import Tensor


def decode(
    x: Float[Tensor, "b d"], ups: list[Float[Tensor, "d d"]], skips: list[Float[Tensor, "b d"]]
) -> Float[Tensor, "b d"]:
    for up, skip in zip(ups, reversed(skips)):
        x = x @ up + skip  #! x = x @ skip + up  # E: shape
    return x


# run: decode(randn(3, 5), [randn(5, 5)] * 2, [randn(3, 5)] * 2)
