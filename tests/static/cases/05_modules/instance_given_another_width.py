import torch
from jaxtyping import Float
from torch import Tensor, nn


class Block(nn.Module):
    def __init__(self, width: int, mult: int = 4):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, mult * width)
        self.act = nn.GELU()
        self.down = nn.Linear(mult * width, width)

    def forward(self, x):
        return x + self.down(self.act(self.up(self.norm(x))))


class Net(nn.Module):
    def __init__(self, n_in: int, width: int, depth: int, n_out: int):
        super().__init__()
        self.stem = nn.Linear(n_in, width)
        self.blocks = nn.ModuleList([Block(width) for _ in range(depth)])
        self.head = nn.Linear(width, n_out)

    def forward(self, x: Float[Tensor, "batch feat"]) -> Float[Tensor, "batch out"]:
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


net = Net(10, 32, 3, 5)
y = net(torch.randn(4, 10))  #! y = net(torch.randn(10, 4))  # E: shape


# run: pass
