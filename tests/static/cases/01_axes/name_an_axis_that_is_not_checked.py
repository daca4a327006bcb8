from jaxtyping import Float
from torch import Tensor


def first_frame(video: Float[Tensor, "batch _frames channels"]) -> Float[Tensor, "batch channels"]:
    return video[:, 0]  #! return video[:, :, 0]  # E: shape


# run: first_frame(randn(2, 5, 7))
