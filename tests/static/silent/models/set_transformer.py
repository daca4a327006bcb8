"""Set Transformer and a mixture density head that clusters a set of points."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Bool, Float
from torch import Tensor


def exists(value):
    return value is not None


class MAB(nn.Module):
    """Multihead attention block: queries x attend to the set y."""

    def __init__(self, dim: int, heads: int, norm: bool = True):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, dim * 2, bias=False)
        self.to_out = nn.Linear(dim, dim)
        self.ff = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.norm1 = nn.LayerNorm(dim) if norm else nn.Identity()
        self.norm2 = nn.LayerNorm(dim) if norm else nn.Identity()

    def forward(self, x: Float[Tensor, "b n dim"], y: Float[Tensor, "b m dim"], mask: Bool[Tensor, "b m"] | None = None) -> Float[Tensor, "b n dim"]:
        q = self.to_q(x)
        k, v = self.to_kv(y).chunk(2, dim=-1)
        q, k, v = (rearrange(t, "b n (h d) -> b h n d", h=self.heads) for t in (q, k, v))
        sim = torch.einsum("b h i d, b h j d -> b h i j", q, k) * self.scale
        if exists(mask):
            sim = sim.masked_fill(~rearrange(mask, "b m -> b 1 1 m"), -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)
        out = torch.einsum("b h i j, b h j d -> b h i d", attn, v)
        out = rearrange(out, "b h n d -> b n (h d)")
        h = self.norm1(x + self.to_out(out))
        return self.norm2(h + self.ff(h))


class ISAB(nn.Module):
    def __init__(self, dim: int, heads: int, inducing: int):
        super().__init__()
        self.points = nn.Parameter(torch.randn(inducing, dim) / math.sqrt(dim))
        self.gather = MAB(dim, heads)
        self.scatter = MAB(dim, heads)

    def forward(self, x: Float[Tensor, "b n dim"], mask: Bool[Tensor, "b n"] | None = None) -> Float[Tensor, "b n dim"]:
        points = self.points.unsqueeze(0).expand(x.shape[0], -1, -1)
        summary = self.gather(points, x, mask)
        return self.scatter(x, summary)


class PMA(nn.Module):
    def __init__(self, dim: int, heads: int, seeds: int):
        super().__init__()
        self.seeds = nn.Parameter(torch.randn(1, seeds, dim))
        self.ff = nn.Linear(dim, dim)
        self.mab = MAB(dim, heads)

    def forward(self, x: Float[Tensor, "b n dim"], mask: Bool[Tensor, "b n"] | None = None) -> Float[Tensor, "b seeds dim"]:
        return self.mab(self.seeds.repeat(x.shape[0], 1, 1), F.relu(self.ff(x)), mask)


class MixtureParams:
    """Weights, means and log variances of k diagonal Gaussians."""

    def __init__(self, logits: Float[Tensor, "b k"], mean: Float[Tensor, "b k p"], log_var: Float[Tensor, "b k p"]):
        self.logits = logits
        self.mean = mean
        self.log_var = log_var


class SetTransformer(nn.Module):
    def __init__(self, point_dim: int, dim: int, heads: int, clusters: int, inducing: int = 8):
        super().__init__()
        self.point_dim = point_dim
        self.embed = nn.Linear(point_dim, dim)
        self.enc1 = ISAB(dim, heads, inducing)
        self.enc2 = ISAB(dim, heads, inducing)
        self.pool = PMA(dim, heads, clusters)
        self.dec = MAB(dim, heads)
        self.head = nn.Linear(dim, 1 + 2 * point_dim)

    def forward(self, points: Float[Tensor, "b n point_dim"], mask: Bool[Tensor, "b n"] | None = None) -> MixtureParams:
        h = self.embed(points)
        h = self.enc2(self.enc1(h, mask), mask)
        pooled = self.pool(h, mask)
        pooled = self.dec(pooled, pooled)
        out = self.head(pooled)
        logits = out[..., 0]
        mean, log_var = out[..., 1:].split(self.point_dim, dim=-1)
        return MixtureParams(logits, mean, log_var)


def log_normal(x: Float[Tensor, "b n 1 p"], mean: Float[Tensor, "b 1 k p"], log_var: Float[Tensor, "b 1 k p"]) -> Float[Tensor, "b n k"]:
    squared = (x - mean).square() / log_var.exp()
    return -0.5 * (squared + log_var + math.log(2 * math.pi)).sum(dim=-1)


def responsibilities(points: Float[Tensor, "b n p"], logits: Float[Tensor, "b k"], mean: Float[Tensor, "b k p"], log_var: Float[Tensor, "b k p"]) -> Float[Tensor, "b n k"]:
    log_prob = log_normal(points[:, :, None, :], mean[:, None], log_var[:, None])
    log_weight = logits.log_softmax(dim=-1)
    return (log_prob + log_weight[:, None, :]).softmax(dim=-1)


def negative_log_likelihood(points: Float[Tensor, "b n p"], params: MixtureParams, mask: Bool[Tensor, "b n"]) -> Float[Tensor, ""]:
    log_prob = log_normal(points.unsqueeze(2), params.mean.unsqueeze(1), params.log_var.unsqueeze(1))
    log_weight = params.logits.log_softmax(dim=-1).unsqueeze(1)
    per_point = torch.logsumexp(log_prob + log_weight, dim=2)
    per_set = (per_point * mask).sum(dim=1) / mask.sum(dim=1)
    return -per_set.mean()


def sample_mixture(batch: int, n: int, k: int) -> tuple[Float[Tensor, "batch n 2"], Float[Tensor, "batch k 2"]]:
    centres = torch.rand(batch, k, 2) * 8 - 4
    which = torch.randint(0, k, (batch, n))
    chosen = centres.gather(1, which.unsqueeze(-1).expand(-1, -1, 2))
    return chosen + 0.3 * torch.randn(batch, n, 2), centres


def train(model: SetTransformer, steps: int, batch: int = 4) -> list[float]:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    history = []
    for _ in range(steps):
        points, _ = sample_mixture(batch, 12, 3)
        mask = torch.rand(points.shape[:2]) > 0.1
        params = model(points, mask)
        loss = negative_log_likelihood(points, params, mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    return history


# run: m = SetTransformer(2, 16, 4, 3); train(m, 2)
# run: p = m(randn(4, 12, 2)); responsibilities(randn(4, 12, 2), p.logits, p.mean, p.log_var)
