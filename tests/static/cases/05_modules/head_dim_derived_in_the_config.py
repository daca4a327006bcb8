from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor, nn


@dataclass
class Config:
    d_model: int
    n_heads: int
    head_dim: int | None = None

    def __post_init__(self) -> None:
        if self.head_dim is None:
            self.head_dim = self.d_model // self.n_heads


class Queries(nn.Module):
    def __init__(self, cfg: Config) -> None:
        super().__init__()
        assert cfg.head_dim is not None
        self.heads, self.head_dim = cfg.n_heads, cfg.head_dim
        self.q = nn.Linear(cfg.d_model, self.heads * self.head_dim)
        self.out = nn.Linear(self.heads * self.head_dim, cfg.d_model)

    def forward(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq d_model"]:
        b, s, _ = x.shape
        q = self.q(x).view(b, s, self.heads, self.head_dim).transpose(1, 2)
        merged = q.transpose(1, 2).flatten(2)  #! merged = q.transpose(1, 2).flatten(1)
        return self.out(merged)  #! return self.out(merged)  # E: shape


# run: Queries(Config(6, 2))(randn(2, 3, 6)), Queries(Config(6, 2, 4))(randn(2, 3, 6))
