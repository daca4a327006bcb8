import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(784, 128)  #! self.hidden = nn.Linear(28, 128)
        self.out = nn.Linear(128, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(torch.relu(self.hidden(x.flatten(1))))


def main() -> torch.Tensor:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = Net().to(device)
    images = torch.randn(8, 1, 28, 28).to(device)
    return model(images)  # E: shape


# run: main()
