from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor, nn


class Posterior(NamedTuple):
    mean: Float[Tensor, "batch latent"]
    log_var: Float[Tensor, "batch latent"]


class Encoder(nn.Module):
    def __init__(self, features: int, latent: int) -> None:
        super().__init__()
        self.net = nn.Linear(features, 2 * latent)

    def forward(self, x: Float[Tensor, "batch features"]) -> Posterior:
        return Posterior(*self.net(x).chunk(2, dim=-1))


class Model(nn.Module):
    def __init__(self, features: int, latent: int) -> None:
        super().__init__()
        self.encoder = Encoder(features, latent)

    def kl(self, x: Float[Tensor, "batch features"]) -> Float[Tensor, "batch"]:
        mean, log_var = self.encoder(x)
        each = mean.square() + log_var.exp() - 1 - log_var
        return 0.5 * each.sum(-1)  #! return 0.5 * each  # E: shape


# run: Model(5, 3).kl(randn(4, 5))
