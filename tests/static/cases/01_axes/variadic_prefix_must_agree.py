from jaxtyping import Float
from torch import Tensor


def blend(
    a: Float[Tensor, "*batch c"], b: Float[Tensor, "*batch c"], alpha: Float[Tensor, "*batch"]
) -> Float[Tensor, "*batch c"]:
    return a + alpha[..., None] * (b - a)


def composite(
    rgb: Float[Tensor, "rays samples 3"], background: Float[Tensor, "rays 3"], w: Float[Tensor, "rays samples"]
) -> Float[Tensor, "rays samples 3"]:
    back = background[:, None].expand_as(rgb)
    return blend(rgb, back, w)  #! return blend(rgb, background, w)  # E: shape


# run: composite(randn(5, 7, 3), randn(5, 3), randn(5, 7))
