import torch
from jaxtyping import Float
from torch import Tensor


def expert_mlp(x: Float[Tensor, "e c d"], w: Float[Tensor, "e d f"]) -> Float[Tensor, "e c f"]:
    return torch.einsum("ecd,edf->ecf", x, w)  #! return torch.einsum("cd,edf->ecf", x, w)  # E: shape


# run: expert_mlp(randn(2, 3, 5), randn(2, 5, 7))
