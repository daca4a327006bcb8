import torch
from jaxtyping import Float
from torch import Tensor

PARENTS = [-1, 0, 0, 1, 2]


def chained(rot: Float[Tensor, "b j 3 3"]) -> Float[Tensor, "b j 3 3"]:
    chain = [rot[:, 0]]
    for i in range(1, len(PARENTS)):
        chain.append(chain[PARENTS[i]] @ rot[:, i])
    return torch.stack(chain, dim=1)  #! return torch.stack(chain[1:], dim=1)  # E: shape


# run: chained(randn(2, 5, 3, 3))
