from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor, nn


@dataclass
class ModelConfig:
    hidden_size: int
    intermediate_size: int


class FeedForward(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)  #! self.down_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)

    def forward(self, x: Float[Tensor, "batch seq hidden"]) -> Float[Tensor, "batch seq hidden"]:
        gate = nn.functional.silu(self.gate_proj(x))
        return self.down_proj(gate * self.up_proj(x))  # E: shape


# run: FeedForward(ModelConfig(3, 5))(randn(2, 7, 3))
