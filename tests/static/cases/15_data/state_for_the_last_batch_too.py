import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    data = TensorDataset(torch.randn(50, 7, 3), torch.randn(50, 2))
    loader = DataLoader(data, batch_size=16, shuffle=True, drop_last=True)
    rnn, head = nn.GRU(3, 5, batch_first=True), nn.Linear(5, 2)
    state = torch.zeros(1, 16, 5)  #! state = torch.zeros(1, 50, 5)
    for x, y in loader:
        out, _ = rnn(x, state)  # E: shape
        nn.functional.mse_loss(head(out[:, -1]), y).backward()
    return head.weight.grad


# run: main()
