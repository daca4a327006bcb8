import torch
from jaxtyping import Float
from torch import Tensor, nn


def conv_out(size: int, kernel: int, stride: int = 1, padding: int = 0) -> int:
    return (size + 2 * padding - kernel) // stride + 1


class AtariEncoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(4, 32, 8, stride=4),
            nn.ReLU(),
            nn.Conv2d(32, 64, 4, stride=2),
            nn.ReLU(),
            nn.Conv2d(64, 64, 3, stride=1),
            nn.ReLU(),
        )
        side = conv_out(conv_out(conv_out(84, 8, 4), 4, 2), 3)
        self.fc = nn.Linear(64 * side * side, 512)  #! self.fc = nn.Linear(64 * side, 512)

    def forward(self, obs: Float[Tensor, "envs 4 84 84"]) -> Float[Tensor, "envs 512"]:
        return self.fc(self.net(obs).flatten(1))  # E: shape


# run: AtariEncoder()(randn(2, 4, 84, 84))
