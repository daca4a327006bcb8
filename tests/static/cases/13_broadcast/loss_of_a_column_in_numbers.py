import torch
import torch.nn.functional as F
from torch import nn


class Regressor(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(8, 16)
        self.out = nn.Linear(16, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.out(torch.relu(self.hidden(x)))
        return y.squeeze(-1)  #! return y


model = Regressor()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(32, 8), torch.randn(32)
for _ in range(3):
    loss = F.mse_loss(model(x), y)  #! loss = F.mse_loss(model(x), y)  # E: broadcast
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


# quiet: torch only warns
# run: model(x)
