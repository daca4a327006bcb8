import torch
from torch import nn


class RoPE(nn.Module):
    def __init__(self, theta: float, d_k: int, max_seq_len: int):
        super().__init__()
        inv = 1.0 / theta ** (torch.arange(0, d_k, 2).float() / d_k)  #! inv = 1.0 / theta ** (torch.arange(0, d_k).float() / d_k)
        ang = torch.outer(torch.arange(max_seq_len).float(), inv)
        self.register_buffer("cos", ang.cos(), persistent=False)
        self.register_buffer("sin", ang.sin(), persistent=False)

    def forward(self, x, token_positions):
        cos = self.cos[token_positions]
        sin = self.sin[token_positions]
        even, odd = x[..., 0::2], x[..., 1::2]
        r_even = even * cos - odd * sin
        r_odd = even * sin + odd * cos
        return torch.stack([r_even, r_odd], dim=-1).flatten(-2)


def main():
    rope = RoPE(10000.0, 16, 64)
    q = torch.randn(2, 4, 10, 16)
    pos = torch.arange(10)
    assert rope(q, pos).shape == q.shape  # E: shape


# run: main()
