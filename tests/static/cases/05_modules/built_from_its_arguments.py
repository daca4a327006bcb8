from dataclasses import asdict, dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn


@dataclass
class Args:
    d_in: int = 6
    d_hidden: int = 12
    d_out: int = 2


class Net(nn.Module):
    def __init__(self, d_in: int, d_hidden: int, d_out: int):
        super().__init__()
        self.a = nn.Linear(d_in, d_hidden)
        self.b = nn.Linear(d_hidden, d_out)

    @classmethod
    def from_args(cls, args: Args) -> "Net":
        return cls(args.d_in, args.d_hidden, args.d_out)

    def forward(self, x: Float[Tensor, "n d_in"]) -> Float[Tensor, "n d_out"]:
        return self.b(self.a(x).relu())


net = Net.from_args(Args(d_in=8))
y = net(torch.randn(4, 8))  #! y = net(torch.randn(4, 6))  # E: shape
other = Net(**asdict(Args()))
z = other(torch.randn(2, 6))


# run: pass
