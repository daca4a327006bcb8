from jaxtyping import Float
from torch import Tensor, nn


class Mixer(nn.Module):
    def __init__(self, width: int, tokens: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.over_tokens = nn.Linear(tokens, tokens)
        self.over_channels = nn.Linear(width, width)

    def forward(self, x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        x = self.norm(x)
        mixed = self.over_tokens(x.transpose(1, 2)).transpose(1, 2)  #! mixed = self.over_tokens(x)  # E: shape
        return x + self.over_channels(mixed)


# run: Mixer(6, 5)(randn(2, 5, 6))
