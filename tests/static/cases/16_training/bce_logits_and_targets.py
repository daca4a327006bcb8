import torch
from jaxtyping import Float
from torch import Tensor, nn


class Discriminator(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b"]:
        return self.net(x).squeeze(-1)


def d_loss(disc: Discriminator, real: Float[Tensor, "b d"], fake: Float[Tensor, "b d"]) -> Float[Tensor, ""]:
    bce = nn.BCEWithLogitsLoss()
    real_score = disc(real)
    ones = torch.ones_like(real_score)  #! ones = torch.ones(real.shape[0], 1)
    return bce(real_score, ones) + disc(fake).sigmoid().mean()  # E: shape


# run: d_loss(Discriminator(5), randn(3, 5), randn(3, 5))
