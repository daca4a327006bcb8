import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset


def fit(x: Float[Tensor, "n d"], y: Float[Tensor, "n"], epochs: int = 2) -> float:
    loader = DataLoader(TensorDataset(x, y), batch_size=8)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(x.shape[1], 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    loss = torch.zeros(())
    for _ in range(epochs):
        for xb, yb in loader:
            loss = (model(xb).squeeze(-1) - yb).square().mean()  #! loss = (model(xb) - yb).square().mean()  # E: broadcast
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return loss.item()


# quiet: every prediction is compared with every target
# run: fit(randn(20, 3), randn(20))
