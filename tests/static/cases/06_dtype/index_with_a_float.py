import torch
from jaxtyping import Float
from torch import Tensor


def sample_rows(x: Float[Tensor, "n d"], k: int) -> Float[Tensor, "{k} d"]:
    index = torch.randint(0, x.shape[0], (k,))  #! index = torch.rand(k) * x.shape[0]
    return x[index]  # E: dtype


# run: sample_rows(randn(5, 3), 7)
