import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class Basic(nn.Module):
    def __init__(self, c_in: int, c_out: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(c_in, c_out, 3, stride, 1)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, 1, 1)
        self.shortcut = nn.Sequential()
        if stride != 1 or c_in != c_out:
            conv = nn.Conv2d(c_in, c_out, 1, stride)  #! conv = nn.Conv2d(c_in, c_in, 1, stride)
            self.shortcut = nn.Sequential(conv, nn.BatchNorm2d(c_out))

    def forward(self, x: Float[Tensor, "b c_in h w"]) -> Float[Tensor, "b c_out h_out w_out"]:
        y = self.conv2(F.relu(self.conv1(x)))
        return F.relu(y + self.shortcut(x))  # E: shape


# run: Basic(3, 5, 2)(randn(2, 3, 6, 8))
# run: Basic(4, 4)(randn(2, 4, 6, 8))
