from jaxtyping import Float
from torch import Tensor, nn


class Small(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 32, 3)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(32 * 13 * 13, 10)  #! self.fc = nn.Linear(32 * 14 * 14, 10)

    def forward(self, x: Float[Tensor, "b 1 28 28"]) -> Float[Tensor, "b 10"]:
        x = self.pool(self.conv(x).relu())
        return self.fc(x.flatten(1))  # E: shape


# run: Small()(randn(2, 1, 28, 28))
