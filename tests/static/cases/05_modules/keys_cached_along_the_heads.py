import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Cache:
    def __init__(self):
        self.k = self.v = None

    def update(self, k, v):
        if self.k is None:
            self.k, self.v = k, v
        else:
            self.k = torch.cat([self.k, k], dim=2)  #! self.k = torch.cat([self.k, k], dim=1)
            self.v = torch.cat([self.v, v], dim=2)
        return self.k, self.v


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x, cache):
        b, t, c = x.shape
        q, k, v = (p.view(b, t, self.heads, c // self.heads).transpose(1, 2) for p in self.qkv(x).chunk(3, -1))
        k, v = cache.update(k, v)
        y = (q @ k.transpose(-2, -1)).softmax(-1) @ v
        return self.out(y.transpose(1, 2).reshape(b, t, c))


class Model(nn.Module):
    def __init__(self, vocab: int, dim: int = 24, heads: int = 3):
        super().__init__()
        self.embed, self.head = nn.Embedding(vocab, dim), nn.Linear(dim, vocab)
        self.attention = Attention(dim, heads)

    def forward(self, ids: Int[Tensor, "b t"], cache) -> Float[Tensor, "b t vocab"]:
        x = self.embed(ids)
        return self.head(x + self.attention(x, cache))  # E: shape

    def generate(self, ids: Int[Tensor, "b t"], steps: int):
        cache = Cache()
        logits = self(ids, cache)
        for _ in range(steps):
            new = logits[:, -1].argmax(-1, keepdim=True)
            ids = torch.cat([ids, new], dim=1)
            logits = self(new, cache)
        return ids


def main():
    return Model(20).generate(torch.randint(0, 20, (2, 5)), 4)


# run: main()
