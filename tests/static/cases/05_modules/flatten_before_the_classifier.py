from jaxtyping import Float
from torch import Tensor, nn


class LeNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2),
            nn.ReLU(),
            nn.AvgPool2d(2),
            nn.Conv2d(6, 16, 5),
            nn.ReLU(),
            nn.AvgPool2d(2),
            nn.Flatten(),
        )
        self.classifier = nn.Linear(16 * 5 * 5, 10)  #! self.classifier = nn.Linear(16 * 7 * 7, 10)

    def forward(self, x: Float[Tensor, "b 1 28 28"]) -> Float[Tensor, "b 10"]:
        return self.classifier(self.features(x))  # E: shape


# run: LeNet()(randn(3, 1, 28, 28))
