import torch
from torch import nn

from src.encoders import ENCODERS


class VAE(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.encoder = ENCODERS[cfg.encoder.name](**cfg.encoder.kwargs)
        self.to_stats = nn.Linear(self.encoder.out_dim, 2 * cfg.latent_dim)
        self.decoder = nn.Sequential(nn.Linear(cfg.latent_dim, 64), nn.ReLU(), nn.Linear(64, 784))
        self.classifier = nn.Linear(cfg.latent_dim, cfg.n_classes)

    def forward(self, x):
        stats = self.to_stats(self.encoder(x))
        mu, logvar = stats.chunk(2, dim=-1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.decoder(z), self.classifier(z), mu, logvar


def elbo(x, recon, mu, logvar):
    rec = nn.functional.mse_loss(recon, x.flatten(1), reduction="none").sum(-1)
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(-1)
    return (rec + kl).mean()
