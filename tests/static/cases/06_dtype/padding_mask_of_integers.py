import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(dim, 2, batch_first=True)

    def forward(self, x: Float[Tensor, "b t dim"], lengths: Int[Tensor, "b"]) -> Float[Tensor, "b t dim"]:
        places = torch.arange(x.shape[1])
        padding = places[None] >= lengths[:, None]  #! padding = (places[None] >= lengths[:, None]).long()
        y, _ = self.attention(x, x, x, key_padding_mask=padding)  # E: dtype
        return y


# run: Encoder(4)(randn(2, 3, 4), torch.tensor([3, 2]))
