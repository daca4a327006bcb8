import torch
from torch import Tensor, nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from jaxtyping import Float, Int
def fit(x: Float[Tensor, "n 20"], y: Int[Tensor, "n"], epochs: int = 2) -> nn.Module:
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True)
    for _ in range(epochs):
        for xb, yb in loader:
            logits = model(xb)  #! logits = model(yb)  # E: shape|dtype
            loss = F.cross_entropy(logits, yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return model


# run: fit(randn(16, 20), torch.randint(0, 5, (16,)))
