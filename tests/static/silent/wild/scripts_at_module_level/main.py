"""A script: all at module level, no functions, names reused freely."""

import torch
from jaxtyping import Float
from scripts_demo import Batch, Net, Vec
from torch import Tensor
from torch import nn, optim

torch.manual_seed(0)
x = torch.randn(64, 5)
w = torch.randn(5)
y = (x @ w > 0).long()
net = Net(5, 2)
opt = optim.SGD(net.parameters(), lr=0.1)
loss_fn = nn.CrossEntropyLoss()

for epoch in range(3):
    perm = torch.randperm(len(x))
    for i in range(0, len(x), 16):
        idx = perm[i : i + 16]
        out = net(x[idx])
        loss = loss_fn(out, y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        acc = (net(x).argmax(1) == y).float().mean()

x, y = x[:8], y[:8].float()
x = torch.cat([x, y[:, None]], dim=1)
w = torch.linalg.lstsq(x, y.unsqueeze(1)).solution
y = y - (x @ w).squeeze(1)
x = x.T
mean: Float[Tensor, "d"] = x.mean(1)
x = {"x": x, "mean": mean}
print(f"{acc:.2f}", {k: tuple(v.shape) for k, v in x.items()})


def centre(batch: Batch, mean: Vec) -> Batch:
    return batch - mean


for a, b in zip(torch.ones(3, 2, 5), [1, 2, 3]):
    a = centre(a, torch.zeros(5)) * b
    w = a.sum(0)


# run: centre(randn(3, 5), randn(5))
