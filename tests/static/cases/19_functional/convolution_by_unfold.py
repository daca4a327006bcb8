import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class UnfoldConv(nn.Module):
    def __init__(self, cin: int, cout: int, k: int) -> None:
        super().__init__()
        self.k = k
        self.weight = nn.Parameter(torch.randn(cout, cin * k * k))  #! self.weight = nn.Parameter(torch.randn(cout, cin * k))

    def forward(self, x: Float[Tensor, "b cin h w"]) -> Float[Tensor, "b cout h w"]:
        b, _, h, w = x.shape
        columns = F.unfold(x, self.k, padding=self.k // 2)
        return (self.weight @ columns).view(b, -1, h, w)  # E: shape


# run: UnfoldConv(3, 8, 3)(randn(2, 3, 9, 9))
