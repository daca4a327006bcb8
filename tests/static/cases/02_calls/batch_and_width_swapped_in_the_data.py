import torch
from torch import nn
import torch.nn.functional as F


class Linear(nn.Module):
    def __init__(self, input_dim: int, output_dim: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(input_dim, output_dim) / input_dim**0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ self.weight


class Cruncher(nn.Module):
    def __init__(self, dim: int, num_layers: int):
        super().__init__()
        self.layers = nn.ModuleList([Linear(dim, dim) for _ in range(num_layers)])
        self.final = Linear(dim, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        B, D = x.size()
        for layer in self.layers:
            x = layer(x)
        x = self.final(x)
        assert x.size() == torch.Size([B, 1])
        x = x.squeeze(-1)
        assert x.size() == torch.Size([B])
        return x


def get_data(B, D):
    true_w = torch.arange(D, dtype=torch.float32)
    x = torch.randn(B, D)
    return x, x @ true_w


def train(D=16, B=4, steps=2):
    model = Cruncher(dim=D, num_layers=2)
    for _ in range(steps):
        x, y = get_data(B=B, D=D)  #! x, y = get_data(B=D, D=B)
        loss = F.mse_loss(model(x), y)  # E: shape
        loss.backward()


# run: train()
