import torch
from jaxtyping import Float
from torch import Tensor, nn


class AxialAttention(nn.Module):
    """Attend along rows, then along columns, by moving the other axis into the batch."""

    def __init__(self, dim: int, heads: int, dim_index: int) -> None:
        super().__init__()
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.dim_index = dim_index

    def forward(self, x: Float[Tensor, "b h w dim"]) -> Float[Tensor, "b h w dim"]:
        if self.dim_index == 1:
            x = x.transpose(1, 2)
        b, n, m, d = x.shape
        y = x.reshape(b * n, m, d)
        y, _ = self.attn(y, y, y, need_weights=False)
        y = y.view(b, n, m, d)
        return y.transpose(1, 2) if self.dim_index == 1 else y


class ProductKeyMemory(nn.Module):
    def __init__(self, dim: int, n_keys: int, k: int) -> None:
        super().__init__()
        assert dim % 2 == 0
        self.n_keys, self.k, self.half = n_keys, k, dim // 2
        self.keys = nn.Parameter(torch.randn(2, n_keys, self.half))
        self.values = nn.EmbeddingBag(n_keys**2, dim, mode="sum")

    def forward(self, x: Float[Tensor, "*batch dim"]) -> Float[Tensor, "*batch dim"]:
        shape = x.shape
        q = x.reshape(-1, shape[-1])
        q1, q2 = q[:, : self.half], q[:, self.half :]
        s1, i1 = (q1 @ self.keys[0].T).topk(self.k, dim=-1)
        s2, i2 = (q2 @ self.keys[1].T).topk(self.k, dim=-1)
        scores = (s1[:, :, None] + s2[:, None, :]).flatten(1)
        index = (i1[:, :, None] * self.n_keys + i2[:, None, :]).flatten(1)
        scores, best = scores.topk(self.k, dim=-1)
        index = index.gather(1, best)
        out = self.values(index, per_sample_weights=scores.softmax(-1))
        return out.view(shape)


class Block(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.rows = AxialAttention(dim, 2, 0)
        self.cols = AxialAttention(dim, 2, 1)
        self.memory = ProductKeyMemory(dim, 5, 3)
        self.norms = nn.ModuleList([nn.LayerNorm(dim) for _ in range(3)])

    def forward(self, x: Float[Tensor, "b h w dim"]) -> Float[Tensor, "b h w dim"]:
        for norm, layer in zip(self.norms, (self.rows, self.cols, self.memory)):
            x = x + layer(norm(x))
        return x


# run: Block(6)(randn(2, 3, 5, 6))
