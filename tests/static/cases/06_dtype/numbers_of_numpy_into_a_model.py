import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x).squeeze(-1)


def on_a_grid(model: nn.Module, n: int = 20) -> np.ndarray:
    side = np.linspace(-1.0, 1.0, n)
    across, along = np.meshgrid(side, side)
    points = np.stack([across.ravel(), along.ravel()], axis=1)
    with torch.no_grad():
        return model(torch.from_numpy(points).float()).numpy().reshape(n, n)


def main() -> np.ndarray:
    device = torch.device("cpu")
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.normal(size=(32, 2))).float()  #! x = torch.from_numpy(rng.normal(size=(32, 2)))
    model = Net().to(device)
    loss = model(x.to(device)).square().mean()  # E: dtype
    loss.backward()
    return on_a_grid(model)


# run: main()
