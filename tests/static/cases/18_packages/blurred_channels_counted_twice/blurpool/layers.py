import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class BlurPool(nn.Module):
    def __init__(self, channels: int, stride: int = 2) -> None:
        super().__init__()
        self.channels, self.stride = channels, stride
        row = torch.tensor([1.0, 2.0, 1.0])
        kernel = torch.outer(row, row) / 16
        self.register_buffer("kernel", kernel.expand(channels, 1, 3, 3).clone())

    def forward(self, x: Float[Tensor, "batch channels h w"]) -> Tensor:
        return F.conv2d(x, self.kernel, stride=self.stride, padding=1, groups=self.channels)
