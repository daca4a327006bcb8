import torch
from torch import nn


class LocationAttention(nn.Module):
    def __init__(self, query_dim=256, mem_dim=128, attn_dim=64, filters=32, kernel=31):
        super().__init__()
        self.q = nn.Linear(query_dim, attn_dim, bias=False)
        self.m = nn.Linear(mem_dim, attn_dim, bias=False)
        self.conv = nn.Conv1d(2, filters, kernel, padding=kernel // 2, bias=False)
        self.loc = nn.Linear(filters, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def forward(self, query, memory, prev, cum):
        loc = self.conv(torch.stack([prev, cum], dim=1))  #! loc = self.conv(torch.stack([prev, cum], dim=2))
        loc = self.loc(loc.transpose(1, 2))
        e = self.v(torch.tanh(self.q(query)[:, None] + self.m(memory) + loc)).squeeze(-1)
        w = e.softmax(-1)
        return torch.bmm(w[:, None], memory).squeeze(1), w


def main():
    att = LocationAttention()
    memory = torch.randn(4, 50, 128)
    w = torch.zeros(4, 50)
    ctx, w = att(torch.randn(4, 256), memory, w, w)  # E: shape
    assert ctx.shape == (4, 128)


# run: main()
