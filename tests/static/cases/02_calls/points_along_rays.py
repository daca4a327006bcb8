import torch
from jaxtyping import Float
from torch import Tensor


class Rays:
    def __init__(self, origins: Float[Tensor, "n 3"], dirs: Float[Tensor, "n 3"]) -> None:
        self.origins = origins
        self._dirs = dirs

    @property
    def dirs(self) -> Float[Tensor, "n 3"]:
        return self._dirs / self._dirs.norm(dim=-1, keepdim=True)

    def at(self, t: Float[Tensor, "n s"]) -> Float[Tensor, "n s 3"]:
        return self.origins[:, None] + t[..., None] * self.dirs[:, None]  #! return self.origins[:, None] + t[..., None] * self.dirs  # E: shape


# run: Rays(randn(4,3), randn(4,3)).at(torch.rand(4,5))
