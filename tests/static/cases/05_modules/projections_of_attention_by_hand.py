import torch
from jaxtyping import Float
from torch import Tensor, nn


class Probe(nn.Module):
    def __init__(self, dim: int, heads: int, hidden: int) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(dim, heads)
        self.rnn = nn.LSTM(dim, hidden)

    def queries(self, x: Float[Tensor, "time dim"]) -> Float[Tensor, "time dim"]:
        weight = self.attention.in_proj_weight.chunk(3)[0]  #! weight = self.attention.in_proj_weight
        return x @ weight.T  # E: shape

    def gates(self, x: Float[Tensor, "time dim"]) -> Float[Tensor, "time gates"]:
        return x @ self.rnn.weight_ih_l0.T + self.rnn.bias_ih_l0  #! return x @ self.rnn.weight_hh_l0.T + self.rnn.bias_ih_l0  # E: shape


# run: Probe(4, 2, 6).queries(torch.rand(5, 4)), Probe(4, 2, 6).gates(torch.rand(5, 4))
