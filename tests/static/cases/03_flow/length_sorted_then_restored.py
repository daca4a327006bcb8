import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Encoder(nn.Module):
    def __init__(self, d_in: int, d_h: int) -> None:
        super().__init__()
        self.rnn = nn.GRU(d_in, d_h, batch_first=True)

    def forward(self, x: Float[Tensor, "b t d_in"], lengths: Int[Tensor, "b"]) -> Float[Tensor, "b d_h"]:
        order = lengths.argsort(descending=True)
        restore = order.argsort()
        packed = pack_padded_sequence(x[order], lengths[order], batch_first=True)
        _, h = self.rnn(packed)
        return h[-1][restore]  #! return h[restore]  # E: shape


# run: Encoder(3, 5)(randn(4, 7, 3), torch.tensor([3, 7, 2, 5]))
