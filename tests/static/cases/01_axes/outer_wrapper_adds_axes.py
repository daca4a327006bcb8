from jaxtyping import Float
from torch import Tensor

Frame = Float[Tensor, "h w 3"]
Clip = Float[Frame, "t"]


def brightness(clip: Clip) -> Float[Tensor, "t"]:
    return clip.mean(dim=(1, 2, 3))  #! return clip.mean(dim=(1, 2))  # E: shape


# run: brightness(randn(2, 5, 7, 3))
