from jaxtyping import Float
from torch import Tensor


def pixels(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b*h*w c"]:
    b, c, h, w = x.shape
    x = x.permute(0, 2, 3, 1).contiguous()  #! x = x.permute(0, 2, 3, 1)
    return x.view(b * h * w, c)  # E: contiguity


# run: pixels(randn(2, 3, 5, 7))
