from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class RayBundle:
    origins: Float[Tensor, "n 3"]
    dirs: Float[Tensor, "n 3"]

    def sample(self, near: float, far: float, s: int) -> Float[Tensor, "n s 3"]:
        t = torch.linspace(near, far, s)
        return self.origins[:, None] + t[None, :, None] * self.dirs[:, None]  #! return self.origins[:, None] + t[None, :, None] * self.dirs  # E: shape


# run: RayBundle(torch.randn(5, 3), torch.randn(5, 3)).sample(0.0, 1.0, 7)
