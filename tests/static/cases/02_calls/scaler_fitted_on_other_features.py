import torch
from jaxtyping import Float
from torch import Tensor


class Scaler:
    def __init__(self, ref: Float[Tensor, "n d"]) -> None:
        self.low = ref.amin(0)
        self.high = ref.amax(0)

    def __call__(self, x: Float[Tensor, "m d"]) -> Float[Tensor, "m d"]:
        return (x - self.low) / (self.high - self.low)


def prepare(feats: Float[Tensor, "n f"], targets: Float[Tensor, "n t"], test: Float[Tensor, "m f"]) -> tuple[Float[Tensor, "n f"], Float[Tensor, "m f"]]:
    scale = Scaler(feats)  #! scale = Scaler(targets)
    return scale(feats), scale(test)  # E: shape


# run: prepare(torch.rand(5,3), torch.rand(5,2), torch.rand(4,3))
