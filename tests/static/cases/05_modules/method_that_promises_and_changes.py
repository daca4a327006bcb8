import torch
from jaxtyping import Float
from torch import Tensor


class Memory:
    def start(self, keys: Float[Tensor, "n d"]) -> "Memory":
        self.keys = keys
        return self

    def append(self, keys: Float[Tensor, "m d"]) -> Float[Tensor, "k d"]:
        self.keys = torch.cat([self.keys, keys])
        return self.keys


def scores(x: Float[Tensor, "n d"], z: Float[Tensor, "m d"], bias: Float[Tensor, "n"]) -> Float[Tensor, "n+m"]:
    memory = Memory().start(x)
    memory.append(z)
    total = memory.keys.sum(-1)
    return total + torch.cat([bias, z[:, 0]])  #! return total + bias  # E: shape


# run: scores(randn(3, 2), randn(4, 2), randn(3))
