import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


class KVCache:
    def __init__(self):
        self.k = None
        self.v = None

    def update(self, k, v):
        if self.k is None:
            self.k, self.v = k, v
        else:
            self.k = torch.cat([self.k, k], dim=2)
            self.v = torch.cat([self.v, v], dim=2)
        return self.k, self.v


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, cache=None):
        B, T, C = x.shape
        q, k, v = self.to_qkv(x).split(C, dim=-1)
        q, k, v = (t.view(B, T, self.heads, C // self.heads).transpose(1, 2) for t in (q, k, v))
        if cache is not None:
            k, v = cache.update(k, v)
        att = (q @ k.transpose(-2, -1)) * C**-0.5
        if cache is None:
            att = att.masked_fill(torch.ones(T, T).triu(1).bool(), float("-inf"))
        return self.proj((att.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C))


class Model(nn.Module):
    def __init__(self, vocab: int, dim: int = 24, heads: int = 3, block: int = 32):
        super().__init__()
        self.block = block
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Embedding(block, dim)
        self.ln = nn.LayerNorm(dim)
        self.attn = Attention(dim, heads)
        self.head = nn.Linear(dim, vocab)

    def forward(self, idx: Int[Tensor, "B T"], cache=None, start: int = 0) -> Float[Tensor, "B T V"]:
        T = idx.shape[1]
        x = self.tok(idx) + self.pos(torch.arange(start, start + T))
        x = x + self.attn(self.ln(x), cache)
        return self.head(x)

    @torch.no_grad()
    def generate(self, idx: Int[Tensor, "B T"], steps: int, temperature: float = 1.0, top_k=None):
        cache = KVCache()
        logits = self(idx, cache)
        for i in range(steps):
            last = logits[:, -1] / temperature
            if top_k is not None:
                kth = last.topk(top_k).values[:, [-1]]
                last = last.masked_fill(last < kth, float("-inf"))
            nxt = torch.multinomial(F.softmax(last, dim=-1), 1)
            idx = torch.cat([idx, nxt], dim=1)  #! idx = torch.cat([idx, nxt.squeeze(1)], dim=1)  # E: shape
            logits = self(nxt, cache, start=idx.shape[1] - 1)
        return idx


def main():
    model = Model(vocab=20)
    out = model.generate(torch.randint(0, 20, (2, 5)), steps=4, top_k=5)
    return out.shape[1]


# run: Model(vocab=20)(torch.randint(0, 20, (2, 5)))
# run: main()
