import math

import torch
from jaxtyping import Float
from torch import Tensor, nn


class SelfAttention(nn.Module):
    def __init__(self, dim: int, n_head: int) -> None:
        super().__init__()
        self.n_head = n_head
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x: Float[Tensor, "B T C"]) -> Float[Tensor, "B T C"]:
        B, T, C = x.shape
        q, k, v = (
            part.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            for part in self.qkv(x).chunk(3, dim=-1)
        )
        weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
        y = weights @ v
        return self.proj(y.transpose(1, 2).contiguous().view(B, T, C))  #! return self.proj(y.transpose(1, 2).view(B, T, C))  # E: contiguity


class Split(nn.Module):
    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.h, self.d_k = n_heads, d_model // n_heads
        self.proj = nn.Linear(d_model, d_model)

    def split(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        return x.view(b, t, self.h, self.d_k).transpose(1, 2)

    def forward(self, x: Float[Tensor, "b t d_model"]) -> Float[Tensor, "b t d_model"]:
        b, t, d = x.shape
        heads = self.split(self.proj(x))
        out = torch.matmul((heads @ heads.mT).softmax(-1), heads)
        return out.transpose(1, 2).reshape(b, t, d)  #! return out.transpose(1, 2).view(b, t, d)  # E: contiguity

    def there_and_back(self, x: Float[Tensor, "b t d_model"]) -> Float[Tensor, "b t d_model"]:
        return self.split(x).transpose(1, 2).view(x.shape)


# run: SelfAttention(8, 2)(randn(2, 3, 8))
# run: Split(8, 2)(randn(2, 3, 8))
# run: Split(8, 2).there_and_back(randn(2, 3, 8))
