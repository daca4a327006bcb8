from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor, nn


@dataclass(frozen=True)
class Config:
    d_model: int = 96
    d_rope: int = 32
    d_nope: int = 64


class QueryProjection(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.proj = nn.Linear(config.d_model, config.d_nope + config.d_rope)

    def forward(
        self, x: Float[Tensor, "b s d"]
    ) -> tuple[Float[Tensor, "b s {self.config.d_nope}"], Float[Tensor, "b s {self.config.d_rope}"]]:
        nope, rope = self.proj(x).split([self.config.d_nope, self.config.d_rope], dim=-1)
        return nope, rope  #! return rope, nope  # E: shape


# run: QueryProjection(Config())(randn(2, 3, 96))
