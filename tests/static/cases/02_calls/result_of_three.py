import torch
from jaxtyping import Float
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(3, 8)

    def forward(self, x: Float[Tensor, "b 3"]):
        mu, log_var = self.lin(x).chunk(2, -1)
        return mu + log_var.exp() * torch.randn_like(mu), mu, log_var


def main() -> None:
    z, mu, log_var = Encoder()(torch.randn(2, 3))  #! z, mu = Encoder()(torch.randn(2, 3))  # E: shape
    out, (h, c) = nn.LSTM(4, 5)(torch.randn(2, 4))  #! out, h, c = nn.LSTM(4, 5)(torch.randn(2, 4))  # E: shape


# run: main()
