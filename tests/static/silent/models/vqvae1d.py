"""A one-dimensional VQ-VAE for audio with EMA codebooks and a spectral loss."""

from typing import Sequence

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def snake(x: Float[Tensor, "b c t"], alpha: Float[Tensor, "c"]) -> Float[Tensor, "b c t"]:
    a = alpha[None, :, None]
    return x + torch.sin(a * x) ** 2 / (a + 1e-9)


class ResidualUnit(nn.Module):
    def __init__(self, channels: int, dilation: int):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(channels))
        self.conv1 = nn.Conv1d(channels, channels, 7, padding=3 * dilation, dilation=dilation)
        self.conv2 = nn.Conv1d(channels, channels, 1)

    def forward(self, x: Float[Tensor, "b channels t"]) -> Float[Tensor, "b channels t"]:
        h = self.conv1(snake(x, self.alpha))
        return x + self.conv2(F.elu(h))


class Encoder(nn.Module):
    def __init__(self, channels: int, latent_dim: int, strides: Sequence[int] = (2, 4)):
        super().__init__()
        layers: list[nn.Module] = [nn.Conv1d(1, channels, 7, padding=3)]
        for stride in strides:
            layers += [
                ResidualUnit(channels, 1),
                ResidualUnit(channels, 3),
                nn.Conv1d(channels, channels * 2, 2 * stride, stride=stride, padding=stride // 2),
            ]
            channels *= 2
        layers.append(nn.Conv1d(channels, latent_dim, 3, padding=1))
        self.net = nn.Sequential(*layers)

    def forward(self, wave: Float[Tensor, "b 1 samples"]) -> Float[Tensor, "b latent_dim frames"]:
        return self.net(wave)


class Decoder(nn.Module):
    def __init__(self, channels: int, latent_dim: int):
        super().__init__()
        self.pre = nn.Conv1d(latent_dim, channels * 4, 3, padding=1)
        self.up1 = nn.ConvTranspose1d(channels * 4, channels * 2, 8, stride=4, padding=2)
        self.res1 = ResidualUnit(channels * 2, 1)
        self.up2 = nn.ConvTranspose1d(channels * 2, channels, 4, stride=2, padding=1)
        self.res2 = ResidualUnit(channels, 1)
        self.post = nn.Conv1d(channels, 1, 7, padding=3)

    def forward(self, z: Float[Tensor, "b latent_dim frames"]) -> Float[Tensor, "b 1 samples"]:
        h = self.res1(self.up1(F.elu(self.pre(z))))
        h = self.res2(self.up2(F.elu(h)))
        return torch.tanh(self.post(F.elu(h)))


class EMAQuantizer(nn.Module):
    codebook: Float[Tensor, "codes dim"]
    cluster_size: Float[Tensor, "codes"]
    embed_avg: Float[Tensor, "codes dim"]

    def __init__(self, codes: int, dim: int, decay: float = 0.99):
        super().__init__()
        self.decay = decay
        embed = torch.randn(codes, dim)
        self.register_buffer("codebook", embed)
        self.register_buffer("cluster_size", torch.ones(codes))
        self.register_buffer("embed_avg", embed.clone())

    def encode(self, flat: Float[Tensor, "n dim"]) -> Int[Tensor, "n"]:
        distance = (
            flat.pow(2).sum(dim=1, keepdim=True)
            - 2 * flat @ self.codebook.t()
            + self.codebook.pow(2).sum(dim=1)
        )
        return distance.argmin(dim=1)

    @torch.no_grad()
    def update(self, flat: Float[Tensor, "n dim"], index: Int[Tensor, "n"]) -> None:
        onehot = F.one_hot(index, self.codebook.shape[0]).to(flat.dtype)
        self.cluster_size.mul_(self.decay).add_(onehot.sum(dim=0), alpha=1 - self.decay)
        self.embed_avg.mul_(self.decay).add_(onehot.t() @ flat, alpha=1 - self.decay)
        total = self.cluster_size.sum()
        smoothed = (self.cluster_size + 1e-5) / (total + 1e-5 * len(self.cluster_size)) * total
        self.codebook.copy_(self.embed_avg / smoothed.unsqueeze(1))

    def forward(self, z: Float[Tensor, "b dim frames"]) -> tuple[Float[Tensor, "b dim frames"], Int[Tensor, "b frames"], Float[Tensor, ""]]:
        b, dim, frames = z.shape
        flat = z.transpose(1, 2).reshape(-1, dim)
        index = self.encode(flat)
        quantized = self.codebook[index].view(b, frames, dim).transpose(1, 2)
        if self.training:
            self.update(flat.detach(), index)
        commit = F.mse_loss(z, quantized.detach())
        quantized = z + (quantized - z).detach()
        return quantized, index.view(b, frames), commit


class VQVAE(nn.Module):
    def __init__(self, channels: int = 8, latent_dim: int = 16, codes: int = 32):
        super().__init__()
        self.encoder = Encoder(channels, latent_dim)
        self.quantizer = EMAQuantizer(codes, latent_dim)
        self.decoder = Decoder(channels, latent_dim)

    def forward(self, wave: Float[Tensor, "b 1 samples"]) -> tuple[Float[Tensor, "b 1 samples"], Float[Tensor, ""]]:
        z = self.encoder(wave)
        quantized, _, commit = self.quantizer(z)
        return self.decoder(quantized), commit

    def tokens(self, wave: Float[Tensor, "b 1 samples"]) -> Int[Tensor, "b frames"]:
        _, index, _ = self.quantizer(self.encoder(wave))
        return index


def log_magnitude(wave: Float[Tensor, "b samples"], n_fft: int) -> Float[Tensor, "b bins frames"]:
    window = torch.hann_window(n_fft)
    spectrum = torch.stft(wave, n_fft, hop_length=n_fft // 4, window=window, return_complex=True)
    return spectrum.abs().clamp(min=1e-5).log()


def spectral_loss(x: Float[Tensor, "b 1 samples"], y: Float[Tensor, "b 1 samples"]) -> Float[Tensor, ""]:
    total = x.new_zeros(())
    for n_fft in (16, 32, 64):
        total = total + F.l1_loss(log_magnitude(x.squeeze(1), n_fft), log_magnitude(y.squeeze(1), n_fft))
    return total


def train_loss(model: VQVAE, wave: Float[Tensor, "b 1 samples"]) -> dict[str, Tensor]:
    recon, commit = model(wave)
    losses = {"recon": F.l1_loss(recon, wave), "spectral": spectral_loss(recon, wave), "commit": commit}
    losses["total"] = losses["recon"] + losses["spectral"] + 0.25 * losses["commit"]
    return losses


# run: m = VQVAE(); train_loss(m, randn(2, 1, 128))["total"].backward(); m.eval().tokens(randn(2, 1, 128))
