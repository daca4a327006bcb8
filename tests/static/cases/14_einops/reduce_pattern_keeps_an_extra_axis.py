import einops
from jaxtyping import Float
from torch import Tensor


def frame_features(video: Float[Tensor, "b t c h w"]) -> Float[Tensor, "b t c"]:
    return einops.reduce(video, "b t c h w -> b t c", "mean")  #! return einops.reduce(video, "b t c h w -> b t c 1 1", "mean")  # E: shape


# run: frame_features(randn(2, 3, 4, 5, 7))
