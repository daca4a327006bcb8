import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    x: Float[Tensor, "b d"],
    y: Int[Tensor, "b"],
) -> Float[Tensor, ""]:
    criterion = nn.CrossEntropyLoss()  #! criterion = nn.CrossEntropyLoss(reduction="none")
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.mean().backward()
    optimizer.step()
    return loss.detach()  # E: shape


# run: m = torch.nn.Linear(5, 7)
# run: train_step(m, torch.optim.SGD(m.parameters(), lr=0.1), randn(3, 5), randint(0, 7, (3,)))
