import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


def draws(mean: Float[Tensor, "m"], std: Float[Tensor, "m"], k: int) -> Float[Tensor, "{k} m"]:
    return mean + std * torch.randn(k, mean.shape[0])  #! return mean + std * torch.randn(mean.shape[0], k)  # E: shape


def step(w: Float[Tensor, "d"], x: Float[Tensor, "n d"], y: Float[Tensor, "n"]) -> Float[Tensor, "d"]:
    grad = x.T @ (x @ w - y)  #! grad = x.T @ (x @ w - y[:, None])
    w = w - 0.1 * grad  # E: shape
    return w


class Embedded(nn.Module):
    def __init__(self, vocab: int, dim: int):
        super().__init__()
        self.token, self.place = nn.Embedding(vocab, dim), nn.Embedding(64, dim)

    def forward(self, idx: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq dim"]:
        at = torch.arange(idx.shape[1])  #! at = torch.arange(idx.shape[0])
        return self.token(idx) + self.place(at)  # E: shape


class Head(nn.Module):
    def __init__(self, width: int, out: int):
        super().__init__()
        self.out = nn.Linear(width, out)

    def forward(self, x: Float[Tensor, "b {self.out.in_features} h w"]) -> Float[Tensor, "b {self.out.out_features}"]:
        x = x.mean((2, 3))  #! x = x.mean(-1)
        return self.out(x)  # E: shape


def grids(h: int, w: int) -> Float[Tensor, "{h} {w} 2"]:
    return torch.stack([torch.zeros(h, w), torch.ones(h, w)], -1)  #! return torch.stack([torch.zeros(h, w), torch.ones(w, h)], -1)  # E: shape


# run: draws(randn(3), torch.rand(3), 4), step(randn(3), randn(5, 3), randn(5)), Embedded(7, 4)(torch.randint(0, 7, (2, 3)))
# run: Head(3, 4)(randn(2, 3, 5, 6)), grids(2, 3)
