import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from src.config import Cfg
from src.vae import VAE, elbo


class Digits(Dataset):
    def __init__(self, n, noise=0.0):
        self.images = torch.rand(n, 28, 28)
        self.labels = torch.randint(0, 5, (n,))

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.images[i].unsqueeze(0), self.labels[i]  #! return self.images[i], self.labels[i]


def fit(cfg):
    model = VAE(cfg)
    loader = DataLoader(Digits(cfg.train.batch_size * 3), cfg.train.batch_size, shuffle=True)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.train.lr)
    total = 0.0
    for x, y in loader:
        recon, logits, mu, logvar = model(x)
        loss = elbo(x, recon, mu, logvar) + nn.functional.cross_entropy(logits, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    return total


def main():
    torch.manual_seed(0)
    cfg = Cfg.from_dict({"encoder": {"name": "conv", "kwargs": {"widths": [8, 24]}}, "latent_dim": 10})
    return fit(cfg)  # E: shape


# main: src/train.py
# run: main()
