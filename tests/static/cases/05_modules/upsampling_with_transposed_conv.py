from jaxtyping import Float
from torch import Tensor, nn


class Generator(nn.Module):
    def __init__(self, latent: int) -> None:
        super().__init__()
        self.fc = nn.Linear(latent, 128 * 7 * 7)
        self.up1 = nn.ConvTranspose2d(128, 64, 4, stride=2, padding=1)
        self.up2 = nn.ConvTranspose2d(64, 1, 4, stride=2, padding=1)

    def forward(self, z: Float[Tensor, "b latent"]) -> Float[Tensor, "b 1 28 28"]:
        x = self.fc(z).view(-1, 128, 7, 7)  #! x = self.fc(z).view(-1, 64, 14, 7)
        x = self.up1(x).relu()  # E: shape
        return self.up2(x).tanh()


# run: Generator(5)(randn(3, 5))
