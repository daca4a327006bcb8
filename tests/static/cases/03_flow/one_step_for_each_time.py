"""A layer is applied at every step of time; the loop goes over another axis."""

import torch
from jaxtyping import Float
from torch import Tensor


def unroll(
    x: Float[Tensor, "batch time features"], w: Float[Tensor, "features hidden"]
) -> Float[Tensor, "batch time hidden"]:
    outputs = []
    for step in range(x.shape[1]):  #! for step in range(x.shape[0]):
        outputs.append(torch.tanh(x[:, step] @ w))
    return torch.stack(outputs, dim=1)  # E: shape


# run: unroll(torch.rand(2, 5, 3), torch.rand(3, 4))
