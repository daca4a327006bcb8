import torch
from jaxtyping import Float
from torch import Tensor, nn


class HyperConnection(nn.Module):
    """n residual streams; `width` mixes them into the layer's input, `depth` spreads its output (Zhu et al. 2024)."""

    def __init__(self, layer: nn.Module, dim: int, n: int, index: int, dynamic: bool = True) -> None:
        super().__init__()
        self.layer, self.n, self.dynamic = layer, n, dynamic
        self.beta = nn.Parameter(torch.ones(n))
        alpha = torch.zeros(n, n + 1)
        alpha[index % n, 0] = 1.0
        alpha[:, 1:] = torch.eye(n)
        self.alpha = nn.Parameter(alpha)
        self.norm = nn.LayerNorm(dim)
        self.to_alpha = nn.Parameter(torch.zeros(dim, n + 1))
        self.to_beta = nn.Parameter(torch.zeros(dim))
        self.gain = nn.Parameter(torch.tensor(0.01))

    def forward(self, h: Float[Tensor, "b s n d"]) -> Float[Tensor, "b s n d"]:
        alpha, beta = self.alpha, self.beta
        if self.dynamic:
            normed = self.norm(h)
            alpha = alpha + self.gain * torch.tanh(normed @ self.to_alpha)
            beta = beta + self.gain * torch.tanh(normed @ self.to_beta)
        mixed = alpha.mT @ h
        branch, residual = mixed[..., 0, :], mixed[..., 1:, :]
        out = self.layer(branch)
        return residual + beta[..., None] * out[..., None, :]  #! return residual + beta[..., None] * out  # E: shape


class HyperModel(nn.Module):
    def __init__(self, dim: int, n: int, depth: int) -> None:
        super().__init__()
        self.n = n
        self.layers = nn.ModuleList(HyperConnection(nn.Linear(dim, dim), dim, n, i) for i in range(depth))

    def forward(self, x: Float[Tensor, "b s d"]) -> Float[Tensor, "b s d"]:
        h = x.unsqueeze(-2).repeat_interleave(self.n, dim=-2)
        for layer in self.layers:
            h = layer(h)
        return h.sum(dim=-2)


# run: HyperModel(8, 3, 2)(randn(2, 5, 8))
