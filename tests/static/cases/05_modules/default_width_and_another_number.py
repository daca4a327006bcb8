from jaxtyping import Float
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(self, n_feat: int, dim: int = 64) -> None:
        super().__init__()
        self.inp = nn.Linear(n_feat, dim)
        layer = nn.TransformerEncoderLayer(dim, 4, 128, batch_first=True)  #! layer = nn.TransformerEncoderLayer(128, 4, 128, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(64, 2)

    def forward(self, x: Float[Tensor, "b s n_feat"]) -> Float[Tensor, "b 2"]:
        return self.head(self.enc(self.inp(x)).mean(1))  # E: shape


# run: Encoder(3)(randn(2, 5, 3))
