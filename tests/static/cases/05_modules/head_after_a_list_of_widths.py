import torch
from jaxtyping import Float
from torch import Tensor, nn


class MLP(nn.Module):
    def __init__(self, d_in: int = 20, widths: tuple[int, ...] = (64, 32), d_out: int = 4):
        super().__init__()
        dims = (d_in, *widths)
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims[:-1], dims[1:]))
        self.head = nn.Linear(dims[-1], d_out)  #! self.head = nn.Linear(dims[0], d_out)

    def forward(self, x: Float[Tensor, "b i"]) -> Float[Tensor, "b o"]:
        for layer in self.hidden:
            x = layer(x).relu()
        return self.head(x)  # E: shape


y = MLP()(torch.randn(3, 20))


# run: pass
