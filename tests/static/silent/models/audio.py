"""Log-mel features and a small conformer for speech, trained with CTC."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Bool, Complex, Float, Int
from torch import Tensor, nn

SAMPLE_RATE = 16_000
N_FFT = 400
HOP = 160
N_FREQS = N_FFT // 2 + 1


def hz_to_mel(f: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
    return 2595.0 * torch.log10(1.0 + f / 700.0)


def mel_to_hz(m: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
    return 700.0 * (10.0 ** (m / 2595.0) - 1.0)


def mel_filterbank(n_mels: int) -> Float[Tensor, "201 {n_mels}"]:
    freqs = torch.linspace(0, SAMPLE_RATE / 2, N_FREQS)
    ends = hz_to_mel(torch.tensor([0.0, SAMPLE_RATE / 2]))
    points = mel_to_hz(torch.linspace(float(ends[0]), float(ends[1]), n_mels + 2))
    diff = points[1:] - points[:-1]
    slopes = points[None, :] - freqs[:, None]
    down = -slopes[:, :-2] / diff[:-1]
    up = slopes[:, 2:] / diff[1:]
    return torch.minimum(down, up).clamp(min=0)


def stft(audio: Float[Tensor, "batch samples"]) -> Complex[Tensor, "batch 201 frames"]:
    window = torch.hann_window(N_FFT)
    return torch.stft(audio, N_FFT, HOP, window=window, return_complex=True)


class LogMel(nn.Module):
    def __init__(self, n_mels: int) -> None:
        super().__init__()
        self.register_buffer("bank", mel_filterbank(n_mels))

    def forward(self, audio: Float[Tensor, "batch samples"]) -> Float[Tensor, "batch frames n_mels"]:
        power = stft(audio).abs() ** 2
        mel = torch.einsum("bft,fm->btm", power, self.bank)
        log = mel.clamp(min=1e-10).log10()
        log = torch.maximum(log, log.amax(dim=(1, 2), keepdim=True) - 8.0)
        return (log + 4.0) / 4.0


class ConvModule(nn.Module):
    def __init__(self, dim: int, kernel: int = 7) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.pointwise_in = nn.Conv1d(dim, 2 * dim, 1)
        self.depthwise = nn.Conv1d(dim, dim, kernel, padding=kernel // 2, groups=dim)
        self.bn = nn.BatchNorm1d(dim)
        self.pointwise_out = nn.Conv1d(dim, dim, 1)

    def forward(self, x: Float[Tensor, "batch time dim"]) -> Float[Tensor, "batch time dim"]:
        h = self.norm(x).transpose(1, 2)
        h = F.glu(self.pointwise_in(h), dim=1)
        h = F.silu(self.bn(self.depthwise(h)))
        return self.pointwise_out(h).transpose(1, 2)


class SelfAttention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(
        self, x: Float[Tensor, "batch time dim"], valid: Bool[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time dim"]:
        q, k, v = rearrange(self.qkv(self.norm(x)), "b t (n h d) -> n b h t d", n=3, h=self.heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(~valid[:, None, None, :], -1e9)
        h = scores.softmax(dim=-1) @ v
        return self.out(rearrange(h, "b h t d -> b t (h d)"))


class ConformerBlock(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.ff1 = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 4 * dim), nn.SiLU(), nn.Linear(4 * dim, dim))
        self.attn = SelfAttention(dim, heads)
        self.conv = ConvModule(dim)
        self.ff2 = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 4 * dim), nn.SiLU(), nn.Linear(4 * dim, dim))
        self.norm = nn.LayerNorm(dim)

    def forward(
        self, x: Float[Tensor, "batch time dim"], valid: Bool[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time dim"]:
        x = x + 0.5 * self.ff1(x)
        x = x + self.attn(x, valid)
        x = x + self.conv(x) * valid.unsqueeze(-1)
        x = x + 0.5 * self.ff2(x)
        return self.norm(x)


class Recogniser(nn.Module):
    def __init__(self, vocab: int, n_mels: int = 13, dim: int = 12, heads: int = 3, depth: int = 2) -> None:
        super().__init__()
        self.features = LogMel(n_mels)
        self.subsample = nn.Conv1d(n_mels, dim, 3, stride=2, padding=1)
        self.blocks = nn.ModuleList([ConformerBlock(dim, heads) for _ in range(depth)])
        self.head = nn.Linear(dim, vocab)

    def forward(
        self, audio: Float[Tensor, "batch samples"], lengths: Int[Tensor, "batch"]
    ) -> tuple[Float[Tensor, "batch frames vocab"], Int[Tensor, "batch"]]:
        mel = self.features(audio)
        x = self.subsample(mel.transpose(1, 2)).transpose(1, 2)
        out_lengths = (lengths // HOP + 1 + 1) // 2
        valid = torch.arange(x.shape[1])[None, :] < out_lengths[:, None]
        for block in self.blocks:
            x = block(x, valid)
        return self.head(x), out_lengths

    def loss(
        self,
        audio: Float[Tensor, "batch samples"],
        lengths: Int[Tensor, "batch"],
        targets: Int[Tensor, "batch labels"],
        target_lengths: Int[Tensor, "batch"],
    ) -> Float[Tensor, ""]:
        logits, frames = self(audio, lengths)
        logp = logits.log_softmax(-1).transpose(0, 1)
        return F.ctc_loss(logp, targets, frames, target_lengths, zero_infinity=True)


# run: m = Recogniser(11); audio = randn(2, 8000); n = torch.tensor([8000, 5000])
# run: m(audio, n); m.loss(audio, n, randint(1, 11, (2, 5)), torch.tensor([5, 3]))
