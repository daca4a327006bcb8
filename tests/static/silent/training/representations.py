"""Representation learning: a VAE, contrastive pairs, a momentum encoder, probes, numpy evaluation."""
from typing import Any, Generic, Literal, TypeVar, overload

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Float32, Int, Shaped
from numpy import ndarray
from torch import Tensor, nn
from torch.distributions import Independent, Normal, kl_divergence


class ConvEncoder(nn.Module):
    def __init__(self, chans: int, width: int, z: int):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(chans, width, 4, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(width, 2 * width, 4, stride=2, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(),
            nn.Flatten(),
        )
        self.mu = nn.Linear(2 * width * 8 * 8, z)
        self.log_std = nn.Linear(2 * width * 8 * 8, z)

    def forward(self, x: Float[Tensor, "b chans 32 32"]) -> tuple[Float[Tensor, "b z"], Float[Tensor, "b z"]]:
        h = self.net(x)
        return self.mu(h), self.log_std(h).clamp(-5, 2)


class ConvDecoder(nn.Module):
    def __init__(self, z: int, width: int, chans: int):
        super().__init__()
        self.fc = nn.Linear(z, 2 * width * 8 * 8)
        self.width = width
        self.net = nn.Sequential(
            nn.ConvTranspose2d(2 * width, width, 4, 2, 1), nn.ReLU(),
            nn.ConvTranspose2d(width, chans, 4, 2, 1),
        )

    def forward(self, z: Float[Tensor, "b z"]) -> Float[Tensor, "b chans 32 32"]:
        return self.net(self.fc(z).view(-1, 2 * self.width, 8, 8))


class VAE(nn.Module):
    def __init__(self, chans: int = 3, width: int = 8, z: int = 10):
        super().__init__()
        self.enc, self.dec = ConvEncoder(chans, width, z), ConvDecoder(z, width, chans)

    def forward(self, x: Float[Tensor, "b chans 32 32"]) -> dict[str, Tensor]:
        mu, log_std = self.enc(x)
        q = Normal(mu, log_std.exp())
        p = Normal(torch.zeros_like(mu), torch.ones_like(mu))
        z = q.rsample()
        rec = self.dec(z)
        kl = kl_divergence(q, p).sum(dim=-1)
        nll = F.binary_cross_entropy_with_logits(rec, x, reduction="none").flatten(1).sum(dim=1)
        return {"loss": (nll + kl).mean(), "kl": kl, "z": z}

    def sample(self, n: int) -> Float[Tensor, "n c 32 32"]:
        return self.dec(torch.randn(n, self.enc.mu.out_features)).sigmoid()


class Queue(nn.Module):
    keys: Float[Tensor, "size dim"]

    def __init__(self, size: int, dim: int):
        super().__init__()
        self.register_buffer("keys", F.normalize(torch.randn(size, dim), dim=1))
        self.ptr = 0

    @torch.no_grad()
    def push(self, k: Float[Tensor, "b dim"]) -> None:
        idx = (self.ptr + torch.arange(k.shape[0])) % self.keys.shape[0]
        self.keys[idx] = k
        self.ptr = int(idx[-1]) + 1


class MoCo(nn.Module):
    def __init__(self, d_in: int, dim: int, size: int, m: float = 0.99, t: float = 0.1):
        super().__init__()
        self.q = nn.Sequential(nn.Linear(d_in, 32), nn.ReLU(), nn.Linear(32, dim))
        self.k = nn.Sequential(nn.Linear(d_in, 32), nn.ReLU(), nn.Linear(32, dim))
        self.queue = Queue(size, dim)
        self.m, self.t = m, t

    def forward(self, a: Float[Tensor, "b d_in"], b: Float[Tensor, "b d_in"]) -> Float[Tensor, ""]:
        q = F.normalize(self.q(a), dim=1)
        with torch.no_grad():
            for pq, pk in zip(self.q.parameters(), self.k.parameters()):
                pk.data.mul_(self.m).add_(pq.data, alpha=1 - self.m)
            k = F.normalize(self.k(b), dim=1)
        pos = (q * k).sum(dim=1, keepdim=True)
        neg = q @ self.queue.keys.T
        logits = torch.cat([pos, neg], dim=1) / self.t
        labels = torch.zeros(q.shape[0], dtype=torch.long)
        loss = F.cross_entropy(logits, labels)
        self.queue.push(k)
        return loss


def supcon(z: Float[Tensor, "n d"], y: Int[Tensor, "n"], t: float = 0.1) -> Float[Tensor, ""]:
    sim = z @ z.T / t
    eye = torch.eye(len(z), dtype=torch.bool)
    same = (y[:, None] == y[None]) & ~eye
    logp = sim - sim.masked_fill(eye, -torch.inf).logsumexp(dim=1, keepdim=True)
    per = (logp * same).sum(dim=1) / same.sum(dim=1).clamp(min=1)
    return -per.mean()


def barlow(a: Float[Tensor, "n d"], b: Float[Tensor, "n d"], lam: float = 5e-3) -> Float[Tensor, ""]:
    a = (a - a.mean(0)) / a.std(0)
    b = (b - b.mean(0)) / b.std(0)
    c = a.T @ b / a.shape[0]
    eye = torch.eye(c.shape[0], dtype=torch.bool)
    return (c.diagonal() - 1).square().sum() + lam * c.masked_fill(eye, 0).square().sum()


def knn_accuracy(train: Float32[ndarray, "n d"], y: Int[ndarray, "n"], test: Float32[ndarray, "m d"], yt: Int[ndarray, "m"], k: int) -> float:
    d = ((test[:, None, :] - train[None, :, :]) ** 2).sum(axis=-1)
    near = np.argsort(d, axis=1)[:, :k]
    votes = y[near]
    pred = np.array([np.bincount(v).argmax() for v in votes])
    return float((pred == yt).mean())


def pca(x: Float[Tensor, "n d"], k: int) -> tuple[Float[Tensor, "n k"], Float[Tensor, "k d"]]:
    centred = x - x.mean(dim=0, keepdim=True)
    _, _, vh = torch.linalg.svd(centred, full_matrices=False)
    comps = vh[:k]
    return centred @ comps.T, comps


def example() -> None:
    vae = VAE()
    vae(torch.rand(2, 3, 32, 32))["loss"].backward()
    vae.sample(3)
    MoCo(6, 4, 16)(torch.randn(4, 6), torch.randn(4, 6))
    supcon(torch.randn(5, 3), torch.tensor([0, 0, 1, 1, 1]))
    barlow(torch.randn(5, 3), torch.randn(5, 3))
    f = np.random.randn(6, 3).astype(np.float32)
    knn_accuracy(f, np.zeros(6, dtype=np.int64), f[:4], np.zeros(4, dtype=np.int64), 2)
    pca(torch.randn(7, 4), 2)


# run: example()
