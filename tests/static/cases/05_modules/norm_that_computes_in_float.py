import torch
import torch.nn.functional as F
from torch import nn


class LayerNorm(nn.LayerNorm):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(x.float(), self.normalized_shape, self.weight, self.bias, self.eps).to(x.dtype)


class CausalConv(nn.Conv1d):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.pad(x, (self.dilation[0] * (self.kernel_size[0] - 1), 0))
        return F.conv1d(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class Block(nn.Module):
    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.norm = LayerNorm(dim)
        self.conv = CausalConv(dim, hidden, 3, dilation=2, groups=2)
        self.out = nn.Linear(hidden, dim)  #! self.out = nn.Linear(dim, dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.conv(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return x + self.out(h.relu())


def main() -> torch.Tensor:
    return Block(8, 12)(torch.randn(2, 5, 8))  # E: shape


# run: main()
