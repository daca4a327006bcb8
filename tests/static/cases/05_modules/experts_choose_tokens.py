import torch
from jaxtyping import Float
from torch import Tensor, nn


class Router(nn.Module):
    def __init__(self, dim: int, experts: int, capacity: int):
        super().__init__()
        self.gate = nn.Linear(dim, experts)
        self.w1 = nn.Parameter(torch.randn(experts, dim, 4 * dim) * 0.02)
        self.w2 = nn.Parameter(torch.randn(experts, 4 * dim, dim) * 0.02)
        self.capacity = capacity

    def forward(self, x: Float[Tensor, "n dim"]) -> Float[Tensor, "n dim"]:
        probs = self.gate(x).softmax(-1)
        weight, choice = probs.topk(self.capacity, dim=0)
        picked = x[choice].transpose(0, 1)  #! picked = x[choice]
        h = torch.einsum("ecd,edf->ecf", picked, self.w1).relu()  # E: shape
        y = torch.einsum("ecf,efd->ecd", h, self.w2)
        out = torch.zeros_like(x)
        out.index_add_(0, choice.T.reshape(-1), (y * weight.T[..., None]).reshape(-1, x.shape[1]))
        return out


# run: Router(4, 3, 5)(randn(7, 4))
