import torch
from jaxtyping import Float
from torch import Tensor, nn


class TimeEmbedding(nn.Module):
    freq_dim = 256

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(self.freq_dim, hidden), nn.SiLU(), nn.Linear(hidden, hidden))

    def forward(self, t: Float[Tensor, "b"]) -> Float[Tensor, "b hidden"]:
        half = self.freq_dim // 2
        freqs = torch.exp(-torch.arange(half, device=t.device) / half)
        angles = t[:, None] * freqs[None]
        emb = torch.cat([angles.cos(), angles.sin()], dim=-1)  #! emb = torch.cat([angles.cos(), angles.sin(), angles], dim=-1)
        return self.mlp(emb)  # E: shape


# run: TimeEmbedding(5)(torch.rand(3))
