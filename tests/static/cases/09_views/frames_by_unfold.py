import torch
from jaxtyping import Float
from torch import Tensor


def frames(audio: Float[Tensor, "b 16000"], window: Float[Tensor, "400"]) -> Float[Tensor, "b 98 400"]:
    return audio.unfold(-1, 400, 160) * window  #! return audio.unfold(-1, 160, 400) * window  # E: shape


# run: frames(randn(2, 16000), randn(400))
