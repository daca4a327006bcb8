import torch
from jaxtyping import BFloat16, Float, Float64
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.head = nn.Linear(8, 2)

    def forward(self, x: Float[Tensor, "n 4"]) -> Float[Tensor, "n 2"]:
        return self.head(self.body(x))


def half_precision() -> BFloat16[Tensor, "3 2"]:
    net = Net().to(torch.bfloat16)
    x = torch.randn(3, 4)
    return net(x.to(torch.bfloat16))  #! return net(x)  # E: dtype


def double_precision(x: Float64[Tensor, "n 4"]) -> Float64[Tensor, "n 8"]:
    layer = nn.Linear(4, 8)
    layer.double()  #! layer.half()
    return layer(x)  # E: dtype


def back_again() -> Float[Tensor, "3 8"]:
    layer = nn.Linear(4, 8).half()
    return layer.float()(torch.randn(3, 4))  #! return layer(torch.randn(3, 4))  # E: dtype


def main() -> None:
    half_precision()
    double_precision(torch.randn(3, 4, dtype=torch.float64))
    back_again()


# run: main()
