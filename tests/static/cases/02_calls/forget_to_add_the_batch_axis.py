from jaxtyping import Float
from torch import Tensor


def encode(frames: Float[Tensor, "batch time mel"]) -> Float[Tensor, "batch mel"]:
    return frames.mean(1)


def encode_one(frames: Float[Tensor, "time mel"]) -> Float[Tensor, "mel"]:
    return encode(frames[None])[0]  #! return encode(frames)[0]  # E: shape


# run: encode_one(randn(5, 7))
