import torch
from jaxtyping import Float
from torch import Tensor, nn


class Experts(nn.Module):
    def __init__(self, dim: int, experts: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(experts, dim, 4 * dim))

    def forward(self, x: Float[Tensor, "n dim"]) -> Float[Tensor, "n experts"]:
        return torch.einsum("nd,edh->ne", x, self.weight)


def test_experts() -> None:
    experts = Experts(8, 4)
    experts(torch.randn(5, 8)).sum().backward()
    grad = experts.weight.grad
    assert grad is not None
    assert experts.weight.grad.shape == (4, 8, 32)  #! assert experts.weight.grad.shape == (8, 4, 32)  # E: shape


# run: test_experts()
