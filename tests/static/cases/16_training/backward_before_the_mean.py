import torch
from jaxtyping import Float
from torch import Tensor, nn


def step(
    model: nn.Linear,
    optimizer: torch.optim.Optimizer,
    x: Float[Tensor, "b d"],
    y: Float[Tensor, "b k"],
) -> None:
    loss = (model(x) - y).square().mean()  #! loss = (model(x) - y).square().sum(-1)
    optimizer.zero_grad()
    loss.backward()  #! loss.backward()  # E: shape
    optimizer.step()


# run: m = torch.nn.Linear(5, 7)
# run: step(m, torch.optim.SGD(m.parameters(), lr=0.1), randn(3, 5), randn(3, 7))
