import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def normed(x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    return F.layer_norm(x, (64,))


def main() -> Float[Tensor, "2 d"]:
    return normed(torch.randn(2, 64))  #! return normed(torch.randn(2, 32))  # E: shape


# run: main()
