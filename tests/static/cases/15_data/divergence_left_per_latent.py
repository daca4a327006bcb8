import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class VAE(nn.Module):
    def __init__(self, data: int, latent: int):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(data, 2 * latent), nn.Linear(latent, data)

    def training_step(self, batch):
        (x,) = batch
        mean, logvar = self.encoder(x).chunk(2, dim=-1)
        recon = self.decoder(mean + torch.randn_like(mean) * (0.5 * logvar).exp())
        error = F.mse_loss(recon, x, reduction="none").sum(-1)
        kl = 0.5 * (mean**2 + logvar.exp() - 1 - logvar).sum(-1)  #! kl = 0.5 * (mean**2 + logvar.exp() - 1 - logvar)
        return (error + kl).mean()


def main():
    model, total = VAE(10, latent=3), 0.0
    for batch in DataLoader(TensorDataset(torch.randn(21, 10)), batch_size=8, shuffle=True):
        total += model.training_step(batch).item()  # E: shape
    return total


# run: main()
