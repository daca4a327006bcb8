import torch
from torch import nn


class Text(nn.Module):
    def __init__(self, vocab: int, width: int, context: int):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.attention = nn.MultiheadAttention(width, 2, batch_first=True)
        self.register_buffer("mask", self.build(context))  #! self.register_buffer("mask", self.build(context + 1))

    def build(self, n: int):
        return torch.full((n, n), float("-inf")).triu_(1)

    def forward(self, text):
        x = self.embed(text)
        y, _ = self.attention(x, x, x, attn_mask=self.mask)
        return x + y


def main():
    return Text(60, 8, 12)(torch.randint(0, 60, (5, 12)))  # E: shape


# run: main()
