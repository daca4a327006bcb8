from jaxtyping import Float
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inp = nn.Linear(40, 64)  #! self.inp = nn.Linear(40, 128)
        layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)

    def forward(self, x: Float[Tensor, "b s 40"]) -> Float[Tensor, "b s 64"]:
        return self.encoder(self.inp(x))  # E: shape


# run: Encoder()(randn(2, 3, 40))
