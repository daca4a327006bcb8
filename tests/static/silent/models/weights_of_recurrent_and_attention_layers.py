"""Weights of recurrent and attention layers, and the numbers that layers keep, read by name."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class Reader(nn.Module):
    def __init__(self, vocabulary: int, dim: int, hidden: int, heads: int, pad: int = 0, bias: bool = True) -> None:
        super().__init__()
        self.table = nn.Embedding(vocabulary, dim, padding_idx=pad)
        self.rnn = nn.GRU(dim, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.cell = nn.LSTMCell(2 * hidden, hidden)
        self.attention = nn.MultiheadAttention(hidden, heads, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(hidden, vocabulary, bias=bias)
        self.loss = nn.CrossEntropyLoss(ignore_index=pad)
        self.reset()

    def reset(self) -> None:
        gates = self.rnn.weight_ih_l0.chunk(3)
        for gate in gates:
            nn.init.orthogonal_(gate)
        nn.init.zeros_(self.rnn.bias_hh_l1_reverse)
        with torch.no_grad():
            hidden = self.cell.hidden_size
            self.cell.bias_ih[hidden : 2 * hidden].fill_(1.0)
            q, k, v = self.attention.in_proj_weight.chunk(3)
            q.copy_(torch.eye(hidden))
            k.copy_(q)
            self.attention.out_proj.weight.copy_(v.T)
            self.attention.in_proj_bias.zero_()
            if self.out.bias is not None:
                self.out.bias.zero_()

    def forward(self, tokens: Int[Tensor, "batch time"]) -> Float[Tensor, ""]:
        padding: Bool[Tensor, "batch time"] = tokens == self.table.padding_idx
        read, last = self.rnn(self.table(tokens))
        h, c = self.cell(read[:, -1])
        by_hand = read[:, -1] @ self.cell.weight_ih.T + self.cell.bias_ih + h @ self.cell.weight_hh.T
        assert by_hand.shape[-1] == 4 * self.cell.hidden_size
        mixed, _ = self.attention(last.transpose(0, 1), h[:, None], h[:, None])
        kept = (1 - self.drop.p) * mixed[:, 0] + 0 * c
        counted = (tokens != self.loss.ignore_index) & ~padding
        return self.loss(self.out(kept), tokens[:, 0]) / counted.sum().clamp(min=1)


# run: Reader(11, 4, 6, 2)(torch.randint(11, (3, 5))); Reader(11, 4, 6, 2, bias=False)(torch.randint(11, (3, 5)))
