import torch
from torch import Tensor, nn


def step(model: nn.Module, optimizer: torch.optim.Optimizer, x: Tensor, y: Tensor) -> None:
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()


def main() -> None:
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    step(model, optimizer, torch.rand(5, 8), torch.rand(5, 2))  #! step(model, optimizer, torch.rand(5, 8), torch.rand(2, 5))  # E: shape


# run: main()
