"""A vector-quantised autoencoder, residual codebooks, and a prior over the codes."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


class Quantised(NamedTuple):
    codes: Float[Tensor, "b d h w"]
    indices: Int[Tensor, "b h w"]
    loss: Float[Tensor, ""]
    perplexity: Float[Tensor, ""]


class VectorQuantizer(nn.Module):
    def __init__(self, n_codes: int, d: int, beta: float = 0.25, decay: float = 0.99) -> None:
        super().__init__()
        self.n_codes, self.d, self.beta, self.decay = n_codes, d, beta, decay
        self.register_buffer("codebook", torch.randn(n_codes, d))
        self.register_buffer("cluster_size", torch.zeros(n_codes))
        self.register_buffer("cluster_sum", torch.randn(n_codes, d))

    def distances(self, flat: Float[Tensor, "n d"]) -> Float[Tensor, "n n_codes"]:
        return (
            flat.pow(2).sum(dim=1, keepdim=True)
            - 2 * flat @ self.codebook.t()
            + self.codebook.pow(2).sum(dim=1)
        )

    def lookup(self, indices: Int[Tensor, "*shape"]) -> Float[Tensor, "*shape d"]:
        return F.embedding(indices, self.codebook)

    @torch.no_grad()
    def _update(self, flat: Float[Tensor, "n d"], onehot: Float[Tensor, "n n_codes"]) -> None:
        counts = onehot.sum(dim=0)
        sums = onehot.t() @ flat
        self.cluster_size.mul_(self.decay).add_(counts, alpha=1 - self.decay)
        self.cluster_sum.mul_(self.decay).add_(sums, alpha=1 - self.decay)
        total = self.cluster_size.sum()
        size = (self.cluster_size + 1e-5) / (total + self.n_codes * 1e-5) * total
        self.codebook.copy_(self.cluster_sum / size.unsqueeze(1))

    def forward(self, z: Float[Tensor, "b d h w"]) -> Quantised:
        b, d, h, w = z.shape
        flat = z.permute(0, 2, 3, 1).reshape(-1, d)
        indices = self.distances(flat).argmin(dim=1)
        onehot = F.one_hot(indices, self.n_codes).float()
        quantised = self.lookup(indices).view(b, h, w, d).permute(0, 3, 1, 2)
        if self.training:
            self._update(flat.detach(), onehot)
        loss = self.beta * F.mse_loss(z, quantised.detach())
        straight = z + (quantised - z).detach()
        usage = onehot.mean(dim=0)
        perplexity = torch.exp(-(usage * torch.log(usage + 1e-10)).sum())
        return Quantised(straight, indices.view(b, h, w), loss, perplexity)


class ResidualVQ(nn.Module):
    def __init__(self, levels: int, n_codes: int, d: int) -> None:
        super().__init__()
        self.levels = nn.ModuleList([VectorQuantizer(n_codes, d) for _ in range(levels)])

    def forward(
        self, z: Float[Tensor, "b d h w"]
    ) -> tuple[Float[Tensor, "b d h w"], Int[Tensor, "b levels h w"], Float[Tensor, ""]]:
        residual = z
        total = torch.zeros_like(z)
        indices, losses = [], []
        for level in self.levels:
            out = level(residual)
            residual = residual - out.codes.detach()
            total = total + out.codes
            indices.append(out.indices)
            losses.append(out.loss)
        return total, torch.stack(indices, dim=1), torch.stack(losses).sum()


class ResBlock(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.block = nn.Sequential(
            nn.ReLU(), nn.Conv2d(dim, dim, 3, 1, 1), nn.BatchNorm2d(dim), nn.ReLU(), nn.Conv2d(dim, dim, 1)
        )

    def forward(self, x: Float[Tensor, "b dim h w"]) -> Float[Tensor, "b dim h w"]:
        return x + self.block(x)


class VQVAE(nn.Module):
    def __init__(self, channels: int, dim: int, n_codes: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(channels, dim, 4, 2, 1), nn.ReLU(), nn.Conv2d(dim, dim, 4, 2, 1), ResBlock(dim)
        )
        self.quantizer = VectorQuantizer(n_codes, dim)
        self.decoder = nn.Sequential(
            ResBlock(dim),
            nn.ReLU(),
            nn.ConvTranspose2d(dim, dim, 4, 2, 1),
            nn.ReLU(),
            nn.ConvTranspose2d(dim, channels, 4, 2, 1),
        )

    def forward(
        self, x: Float[Tensor, "b channels h w"]
    ) -> tuple[Float[Tensor, "b channels h w"], Float[Tensor, ""]]:
        out = self.quantizer(self.encoder(x))
        return self.decoder(out.codes), out.loss

    def loss(self, x: Float[Tensor, "b channels h w"]) -> Float[Tensor, ""]:
        recon, commit = self(x)
        return F.mse_loss(recon, x) + commit

    @torch.no_grad()
    def decode_indices(self, indices: Int[Tensor, "b h w"]) -> Float[Tensor, "b channels 4*h 4*w"]:
        codes = self.quantizer.lookup(indices)
        return self.decoder(codes.permute(0, 3, 1, 2))


class MaskedConv2d(nn.Conv2d):
    def __init__(self, kind: str, c_in: int, c_out: int, kernel_size: int) -> None:
        super().__init__(c_in, c_out, kernel_size, padding=kernel_size // 2)
        mask = torch.ones_like(self.weight)
        centre = kernel_size // 2
        mask[:, :, centre, centre + (kind == "B") :] = 0
        mask[:, :, centre + 1 :] = 0
        self.register_buffer("mask", mask)

    def forward(self, x: Float[Tensor, "b c_in h w"]) -> Float[Tensor, "b c_out h w"]:
        return F.conv2d(x, self.weight * self.mask, self.bias, padding=self.padding)


class Prior(nn.Module):
    def __init__(self, n_codes: int, dim: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(n_codes, dim)
        self.first = MaskedConv2d("A", dim, dim, 5)
        self.rest = nn.ModuleList([MaskedConv2d("B", dim, dim, 3) for _ in range(2)])
        self.out = nn.Conv2d(dim, n_codes, 1)

    def forward(self, indices: Int[Tensor, "b h w"]) -> Float[Tensor, "b n_codes h w"]:
        x = self.embed(indices).permute(0, 3, 1, 2)
        x = self.first(x)
        for conv in self.rest:
            x = x + conv(x.relu())
        return self.out(x)

    def nll(self, indices: Int[Tensor, "b h w"]) -> Float[Tensor, ""]:
        return F.cross_entropy(self(indices), indices)


# run: m = VQVAE(3, 5, 7); x = randn(2, 3, 12, 20); m.loss(x); idx = m.quantizer(m.encoder(x)).indices
# run: m.decode_indices(idx); Prior(7, 5).nll(idx); ResidualVQ(3, 7, 5)(randn(2, 5, 3, 4))
