import torch
from jaxtyping import Float
from torch import Tensor, nn


class VAEHead(nn.Module):
    def __init__(self, d: int, z: int) -> None:
        super().__init__()
        self.stats = nn.Linear(d, 2 * z)

    def forward(self, h: Float[Tensor, "b d"]) -> Float[Tensor, "b z"]:
        mu, log_var = self.stats(h).chunk(2, dim=-1)
        if not self.training:
            return mu
        noise = torch.randn_like(mu)
        return mu + noise * torch.exp(0.5 * log_var)  #! return mu + noise @ torch.exp(0.5 * log_var)  # E: shape


# run: VAEHead(5, 3)(randn(2, 5))
