"""Probabilistic time series forecasting: causal convolutions, reversible normalisation, quantile loss."""

from typing import Tuple

import torch
from einops import rearrange, reduce, repeat
from jaxtyping import Float, Int
from torch import nn
import torch.nn.functional as F

Tensor = torch.Tensor


class RevIN(nn.Module):
    def __init__(self, n_vars: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(n_vars))
        self.bias = nn.Parameter(torch.zeros(n_vars))

    def normalise(self, x: Float[Tensor, "b t n_vars"]) -> Tuple[Float[Tensor, "b t n_vars"], Float[Tensor, "b 1 n_vars"], Float[Tensor, "b 1 n_vars"]]:
        mean = x.mean(dim=1, keepdim=True)
        std = x.std(dim=1, keepdim=True) + self.eps
        return (x - mean) / std * self.gain + self.bias, mean, std

    def restore(self, y: Float[Tensor, "b h n_vars q"], mean: Float[Tensor, "b 1 n_vars"], std: Float[Tensor, "b 1 n_vars"]) -> Float[Tensor, "b h n_vars q"]:
        y = (y - self.bias[:, None]) / self.gain[:, None]
        return y * std[..., None] + mean[..., None]


class CausalConv(nn.Module):
    def __init__(self, c_in: int, c_out: int, kernel: int, dilation: int):
        super().__init__()
        self.pad = (kernel - 1) * dilation
        self.conv = nn.Conv1d(c_in, c_out, kernel, dilation=dilation)

    def forward(self, x: Float[Tensor, "b c_in t"]) -> Float[Tensor, "b c_out t"]:
        return self.conv(F.pad(x, (self.pad, 0)))


class GatedBlock(nn.Module):
    def __init__(self, channels: int, kernel: int, dilation: int):
        super().__init__()
        self.conv = CausalConv(channels, 2 * channels, kernel, dilation)
        self.skip = nn.Conv1d(channels, channels, 1)
        self.out = nn.Conv1d(channels, channels, 1)

    def forward(self, x: Float[Tensor, "b channels t"]) -> Tuple[Float[Tensor, "b channels t"], Float[Tensor, "b channels t"]]:
        value, gate = self.conv(x).chunk(2, dim=1)
        h = torch.tanh(value) * torch.sigmoid(gate)
        return x + self.out(h), self.skip(h)


class TemporalAttention(nn.Module):
    def __init__(self, channels: int, heads: int):
        super().__init__()
        self.heads = heads
        self.query = nn.Parameter(torch.randn(heads, channels // heads))
        self.kv = nn.Conv1d(channels, 2 * channels, 1)

    def forward(self, x: Float[Tensor, "b channels t"]) -> Float[Tensor, "b channels"]:
        k, v = rearrange(self.kv(x), "b (two h d) t -> two b h t d", two=2, h=self.heads)
        logits = torch.einsum("hd,bhtd->bht", self.query, k) / k.shape[-1] ** 0.5
        pooled = torch.einsum("bht,bhtd->bhd", logits.softmax(dim=-1), v)
        return rearrange(pooled, "b h d -> b (h d)")


class Forecaster(nn.Module):
    levels: Float[Tensor, "q"]

    def __init__(self, n_vars: int, horizon: int, channels: int = 16, kernel: int = 3, depth: int = 3, n_series: int = 10, quantiles: Tuple[float, ...] = (0.1, 0.5, 0.9)):
        super().__init__()
        self.horizon = horizon
        self.norm = RevIN(n_vars)
        self.embed = nn.Embedding(n_series, channels)
        self.stem = nn.Conv1d(n_vars, channels, 1)
        self.blocks = nn.ModuleList([GatedBlock(channels, kernel, 2**i) for i in range(depth)])
        self.pool = TemporalAttention(channels, 4)
        self.head = nn.Linear(2 * channels, horizon * n_vars * len(quantiles))
        self.register_buffer("levels", torch.tensor(quantiles))

    def forward(self, past: Float[Tensor, "b t n_vars"], series: Int[Tensor, "b"]) -> Float[Tensor, "b horizon n_vars q"]:
        x, mean, std = self.norm.normalise(past)
        h = self.stem(rearrange(x, "b t v -> b v t")) + self.embed(series).unsqueeze(-1)
        total = torch.zeros_like(h)
        for block in self.blocks:
            h, skip = block(h)
            total = total + skip
        last = total[:, :, -1]
        summary = torch.cat([last, self.pool(F.relu(total))], dim=1)
        out = rearrange(self.head(summary), "b (h v q) -> b h v q", h=self.horizon, q=len(self.levels))
        return self.norm.restore(out, mean, std)


def pinball(pred: Float[Tensor, "b h v q"], target: Float[Tensor, "b h v"], levels: Float[Tensor, "q"]) -> Float[Tensor, ""]:
    error = target.unsqueeze(-1) - pred
    return torch.maximum(levels * error, (levels - 1) * error).mean()


def coverage(pred: Float[Tensor, "b h v q"], target: Float[Tensor, "b h v"]) -> Float[Tensor, "v"]:
    inside = (target >= pred[..., 0]) & (target <= pred[..., -1])
    return reduce(inside.float(), "b h v -> v", "mean")


def windows(series: Float[Tensor, "time v"], past: int, horizon: int) -> Tuple[Float[Tensor, "n {past} v"], Float[Tensor, "n {horizon} v"]]:
    pieces = series.unfold(0, past + horizon, 1)
    pieces = rearrange(pieces, "n v t -> n t v")
    return pieces[:, :past], pieces[:, past:]


def seasonal_naive(past: Float[Tensor, "b t v"], horizon: int, period: int) -> Float[Tensor, "b {horizon} v"]:
    season = past[:, -period:]
    cycles = -(-horizon // period)
    return repeat(season, "b p v -> b (c p) v", c=cycles)[:, :horizon]


def crps(pred: Float[Tensor, "b h v q"], target: Float[Tensor, "b h v"]) -> Float[Tensor, "b"]:
    spread = (pred.unsqueeze(-1) - pred.unsqueeze(-2)).abs().mean(dim=(-1, -2))
    distance = (pred - target[..., None]).abs().mean(dim=-1)
    return (distance - 0.5 * spread).mean(dim=(1, 2))


def fit(model: Forecaster, series: Float[Tensor, "time v"], past: int, steps: int = 2) -> float:
    x, y = windows(series, past, model.horizon)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss = torch.zeros(())
    for _ in range(steps):
        index = torch.randint(0, x.shape[0], (4,))
        pred = model(x[index], torch.zeros(4, dtype=torch.long))
        loss = pinball(pred, y[index], model.levels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


# run: m = Forecaster(3, 4); fit(m, randn(40, 3), 12); p = m(randn(2, 12, 3), torch.tensor([1, 2]))
# run: coverage(p, randn(2, 4, 3)); crps(p, randn(2, 4, 3)); seasonal_naive(randn(2, 12, 3), 7, 3)
