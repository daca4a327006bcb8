"""Variational autoencoders: a dense one, a convolutional one, and importance-weighted bounds."""

import math
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


class Posterior(NamedTuple):
    mu: Float[Tensor, "batch latent"]
    logvar: Float[Tensor, "batch latent"]


class VAEOutput(NamedTuple):
    recon: Float[Tensor, "batch features"]
    z: Float[Tensor, "batch latent"]
    posterior: Posterior


def reparameterize(
    mu: Float[Tensor, "batch latent"], logvar: Float[Tensor, "batch latent"]
) -> Float[Tensor, "batch latent"]:
    std = torch.exp(0.5 * logvar)
    eps = torch.randn_like(std)
    return mu + eps * std


def kl_divergence(
    mu: Float[Tensor, "batch latent"], logvar: Float[Tensor, "batch latent"]
) -> Float[Tensor, "batch"]:
    return -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp(), dim=1)


def log_normal(
    x: Float[Tensor, "*s latent"], mu: Float[Tensor, "*#s latent"], logvar: Float[Tensor, "*#s latent"]
) -> Float[Tensor, "*s"]:
    const = math.log(2 * math.pi)
    return (-0.5 * (const + logvar + (x - mu) ** 2 / logvar.exp())).sum(-1)


class Encoder(nn.Module):
    def __init__(self, features: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(features, hidden)
        self.fc21 = nn.Linear(hidden, latent)
        self.fc22 = nn.Linear(hidden, latent)

    def forward(self, x: Float[Tensor, "batch features"]) -> Posterior:
        h = F.relu(self.fc1(x))
        return Posterior(self.fc21(h), self.fc22(h))


class Decoder(nn.Module):
    def __init__(self, latent: int, hidden: int, features: int) -> None:
        super().__init__()
        self.fc3 = nn.Linear(latent, hidden)
        self.fc4 = nn.Linear(hidden, features)

    def forward(self, z: Float[Tensor, "*batch latent"]) -> Float[Tensor, "*batch features"]:
        h = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h))


class VAE(nn.Module):
    def __init__(self, features: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.encoder = Encoder(features, hidden, latent)
        self.decoder = Decoder(latent, hidden, features)
        self.latent = latent

    def forward(self, x: Float[Tensor, "batch features"]) -> VAEOutput:
        mu, logvar = self.encoder(x)
        z = reparameterize(mu, logvar)
        return VAEOutput(self.decoder(z), z, Posterior(mu, logvar))

    def elbo(self, x: Float[Tensor, "batch features"], beta: float = 1.0) -> Float[Tensor, "batch"]:
        out = self(x)
        nll = F.binary_cross_entropy(out.recon, x, reduction="none").sum(dim=-1)
        kl = kl_divergence(*out.posterior)
        return -(nll + beta * kl)

    def iwae_bound(self, x: Float[Tensor, "batch features"], samples: int) -> Float[Tensor, "batch"]:
        mu, logvar = self.encoder(x)
        mu_k = mu.unsqueeze(0).expand(samples, -1, -1)
        logvar_k = logvar.unsqueeze(0).expand(samples, -1, -1)
        z = mu_k + torch.randn_like(mu_k) * (0.5 * logvar_k).exp()
        recon = self.decoder(z)
        target = x.unsqueeze(0).expand_as(recon)
        log_px = -F.binary_cross_entropy(recon, target, reduction="none").sum(-1)
        log_pz = log_normal(z, torch.zeros_like(z), torch.zeros_like(z))
        log_qz = log_normal(z, mu_k, logvar_k)
        return torch.logsumexp(log_px + log_pz - log_qz, dim=0) - math.log(samples)

    @torch.no_grad()
    def sample(self, n: int) -> Float[Tensor, "{n} features"]:
        return self.decoder(torch.randn(n, self.latent))

    def interpolate(
        self, a: Float[Tensor, "features"], b: Float[Tensor, "features"], steps: int
    ) -> Float[Tensor, "{steps} features"]:
        za = self.encoder(a[None]).mu
        zb = self.encoder(b[None]).mu
        alpha = torch.linspace(0, 1, steps)[:, None]
        return self.decoder((1 - alpha) * za + alpha * zb)


class ConvVAE(nn.Module):
    def __init__(self, latent: int) -> None:
        super().__init__()
        self.enc = nn.Sequential(
            nn.Conv2d(1, 8, 4, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 4, 2, 1), nn.ReLU(), nn.Flatten()
        )
        self.to_stats = nn.Linear(16 * 7 * 7, 2 * latent)
        self.from_latent = nn.Linear(latent, 16 * 7 * 7)
        self.dec = nn.Sequential(
            nn.ConvTranspose2d(16, 8, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Sigmoid()
        )

    def forward(
        self, x: Float[Tensor, "batch 1 28 28"]
    ) -> tuple[Float[Tensor, "batch 1 28 28"], Float[Tensor, "batch"]]:
        mu, logvar = self.to_stats(self.enc(x)).chunk(2, dim=-1)
        z = reparameterize(mu, logvar)
        h = self.from_latent(z).view(-1, 16, 7, 7)
        return self.dec(h), kl_divergence(mu, logvar)


# run: v = VAE(13, 11, 5); x = torch.rand(3, 13)
# run: v(x); v.elbo(x); v.iwae_bound(x, 7); v.sample(2); v.interpolate(x[0], x[1], 4)
# run: ConvVAE(5)(torch.rand(3, 1, 28, 28))
