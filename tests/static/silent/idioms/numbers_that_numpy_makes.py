"""What numpy's functions make of Python's numbers: numbers to torch, wherever they are put."""

import math

import numpy as np
import torch
from jaxtyping import Float, Float32, Int
from torch import Tensor, nn
from torch.nn import functional as F


def initialised(layer: nn.Linear, std: float = np.sqrt(2), bias: float = 0.0) -> nn.Linear:
    nn.init.orthogonal_(layer.weight, std)
    nn.init.constant_(layer.bias, bias + np.log(2.0))
    nn.init.uniform_(layer.bias, -np.sqrt(1 / 3), np.sqrt(1 / 3))
    nn.init.xavier_uniform_(layer.weight, gain=np.sqrt(2.0))
    return layer


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads, self.scale = heads, 1 / np.sqrt(dim // heads)
        self.temperature = nn.Parameter(torch.ones([]) * np.log(1 / 0.07))
        self.sharpness = nn.Parameter(torch.tensor(np.log(10.0), dtype=torch.float32))
        self.qkv = initialised(nn.Linear(dim, 3 * dim))
        self.drop = nn.Dropout(np.sqrt(0.01))

    def forward(self, x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = q @ k.mT / np.sqrt(k.shape[-1]) * self.scale + np.sqrt(x.shape[1])
        scores = scores * self.temperature.exp() * self.sharpness
        return self.drop(scores).softmax(-1) @ v


def positions(n: int, dim: int) -> Float32[Tensor, "{n} {dim}"]:
    rates = torch.exp(torch.arange(0, dim, 2).float() * -(np.log(10000.0) / dim))
    angles = torch.arange(n)[:, None] * rates
    assert angles.dtype == torch.float32
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(1)


def arguments(x: Float32[Tensor, "n"]) -> Float32[Tensor, "n"]:
    """Numpy's numbers for numbers."""
    y = torch.full((3,), np.log(2.0)) + torch.linspace(np.log(1.0), np.log(2.0), 3)
    z = x.clamp(min=np.log(0.5)) + torch.where(x > np.exp(0.1), x, np.exp(0.1)) + F.leaky_relu(x, np.sqrt(0.04))
    z = z.masked_fill(x > np.sqrt(2), np.sqrt(2)).pow(np.sqrt(4)).mul(np.exp(0)).add(np.exp(1.0), alpha=2)
    z[0] = np.sqrt(2)
    z *= np.sqrt(2)
    z -= np.floor(2.5)
    z += torch.tensor([np.log(2.0), 1.0], dtype=torch.float32).sum() + y.sum()
    drawn = torch.normal(0.0, np.sqrt(2), (3,)) + torch.distributions.Normal(0.0, np.sqrt(2)).sample((3,))
    noise = np.random.rand() * x + np.random.uniform(0.5, 1.0) * x - np.random.normal() / (1 + x.abs())
    return (z + noise + drawn.mean()) * max(np.sqrt(3), 1.0) * (np.sqrt(2) if len(x) > 2 else 1)


def sizes(n: int, images: Float[Tensor, "b c 4 4"]) -> Float[Tensor, "b c h w"]:
    """And for sizes, once they are integers."""
    side, half = int(np.sqrt(16)), np.floor(n / 2).astype(int)
    flat = images.flatten(2).unflatten(2, (side, side))
    kept = [images[..., i] for i in range(int(np.ceil(n / 2)))]
    assert np.sqrt(16) == side and math.exp(np.log(2.0)) > 1 and isinstance(np.sqrt(2), float)
    thin = torch.zeros(half, round(np.sqrt(n)), int(np.log2(n)) + 1)
    grown = F.interpolate(flat + thin.sum() + len(kept), scale_factor=np.sqrt(4))
    if np.abs(n - 2.5) > np.random.random() * 100:
        grown = -grown
    return grown[:, :, : int(np.sqrt(4)), np.floor(1.5).astype(int) :]


def drawn(x: Float[Tensor, "n d"], share: float) -> tuple[Float[Tensor, "n d"], Int[Tensor, "2"]]:
    """The choice of numpy's generator, and what it weighs."""
    generator = np.random.default_rng(0)
    weight = generator.beta(share, share) if share > 0 else 1.0
    mixed = weight * x + (1 - weight) * x.flip(0)
    if generator.random() < 0.5 or np.random.rand() < np.exp(-1.0):
        mixed = mixed * generator.normal(1.0, 0.1)
    return mixed, torch.tensor([np.random.randint(3), generator.integers(4)])


# run: Attention(6, 2)(randn(2, 3, 6)); Attention(6, 2)(randn(2, 3, 6)).sum().backward()
# run: positions(4, 6); arguments(randn(3))
# run: sizes(4, randn(2, 3, 4, 4)); drawn(randn(3, 2), 0.4); drawn(randn(3, 2), 0.0)
