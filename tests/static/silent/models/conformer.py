"""Conformer encoder for speech recognition with CTC."""

import math
from typing import Optional

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F


def length_mask(lengths: Int[Tensor, "batch"], max_len: int) -> Bool[Tensor, "batch max_len"]:
    return torch.arange(max_len, device=lengths.device).unsqueeze(0) < lengths.unsqueeze(1)


class Subsampling(nn.Module):
    """Two strided convolutions over time and frequency."""

    def __init__(self, n_mels: int, dim: int) -> None:
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, dim, kernel_size=3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(dim, dim, kernel_size=3, stride=2, padding=1),
            nn.ReLU(),
        )
        self.linear = nn.Linear(dim * (n_mels // 4), dim)

    def forward(self, mels: Float[Tensor, "batch time n_mels"]) -> Float[Tensor, "batch frames dim"]:
        x = self.conv(mels.unsqueeze(1))
        batch, channels, frames, freq = x.shape
        return self.linear(x.transpose(1, 2).reshape(batch, frames, channels * freq))


class FeedForward(nn.Module):
    def __init__(self, dim: int, expansion: int = 4, dropout: float = 0.1) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.LayerNorm(dim),
            nn.Linear(dim, dim * expansion),
            nn.SiLU(),
            nn.Dropout(dropout),
            nn.Linear(dim * expansion, dim),
            nn.Dropout(dropout),
        )

    def forward(self, x: Float[Tensor, "batch time dim"]) -> Float[Tensor, "batch time dim"]:
        return self.net(x)


class RelativeAttention(nn.Module):
    def __init__(self, dim: int, heads: int, max_distance: int = 16) -> None:
        super().__init__()
        if dim % heads:
            raise ValueError("dim must be divisible by heads")
        self.heads = heads
        self.d_head = dim // heads
        self.max_distance = max_distance
        self.norm = nn.LayerNorm(dim)
        self.q_proj = nn.Linear(dim, dim)
        self.k_proj = nn.Linear(dim, dim)
        self.v_proj = nn.Linear(dim, dim)
        self.out_proj = nn.Linear(dim, dim)
        self.distance = nn.Embedding(2 * max_distance + 1, heads)

    def split_heads(self, x: Float[Tensor, "batch time dim"]) -> Float[Tensor, "batch heads time d_head"]:
        batch, time, _ = x.shape
        return x.view(batch, time, self.heads, self.d_head).permute(0, 2, 1, 3)

    def relative_bias(self, time: int) -> Float[Tensor, "heads time time"]:
        position = torch.arange(time)
        offset = position[None, :] - position[:, None]
        bucket = offset.clamp(-self.max_distance, self.max_distance) + self.max_distance
        return self.distance(bucket).permute(2, 0, 1)

    def forward(self, x: Float[Tensor, "batch time dim"], mask: Optional[Bool[Tensor, "batch time"]] = None) -> Float[Tensor, "batch time dim"]:
        batch, time, dim = x.shape
        h = self.norm(x)
        q = self.split_heads(self.q_proj(h))
        k = self.split_heads(self.k_proj(h))
        v = self.split_heads(self.v_proj(h))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.d_head)
        scores = scores + self.relative_bias(time)
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None, :], -1e9)
        context = torch.matmul(F.softmax(scores, dim=-1), v)
        return self.out_proj(context.permute(0, 2, 1, 3).reshape(batch, time, dim))


class ConvModule(nn.Module):
    def __init__(self, dim: int, kernel: int = 7) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.pointwise1 = nn.Conv1d(dim, 2 * dim, 1)
        self.depthwise = nn.Conv1d(dim, dim, kernel, padding=kernel // 2, groups=dim)
        self.batch_norm = nn.BatchNorm1d(dim)
        self.pointwise2 = nn.Conv1d(dim, dim, 1)

    def forward(self, x: Float[Tensor, "batch time dim"], mask: Optional[Bool[Tensor, "batch time"]] = None) -> Float[Tensor, "batch time dim"]:
        h = self.norm(x).transpose(1, 2)
        h = F.glu(self.pointwise1(h), dim=1)
        if mask is not None:
            h = h * mask.unsqueeze(1)
        h = F.silu(self.batch_norm(self.depthwise(h)))
        return self.pointwise2(h).transpose(1, 2)


class ConformerBlock(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.ff1 = FeedForward(dim)
        self.attn = RelativeAttention(dim, heads)
        self.conv = ConvModule(dim)
        self.ff2 = FeedForward(dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x: Float[Tensor, "batch time dim"], mask: Bool[Tensor, "batch time"]) -> Float[Tensor, "batch time dim"]:
        x = x + 0.5 * self.ff1(x)
        x = x + self.attn(x, mask)
        x = x + self.conv(x, mask)
        x = x + 0.5 * self.ff2(x)
        return self.norm(x)


class SpeechRecognizer(nn.Module):
    def __init__(self, n_mels: int, vocab: int, dim: int = 32, heads: int = 4, depth: int = 2) -> None:
        super().__init__()
        self.subsample = Subsampling(n_mels, dim)
        self.blocks = nn.ModuleList([ConformerBlock(dim, heads) for _ in range(depth)])
        self.head = nn.Linear(dim, vocab)

    def forward(self, mels: Float[Tensor, "batch time n_mels"], lengths: Int[Tensor, "batch"]) -> tuple[Float[Tensor, "batch frames vocab"], Int[Tensor, "batch"]]:
        x = self.subsample(mels)
        out_lengths = torch.div(lengths + 3, 4, rounding_mode="floor")
        mask = length_mask(out_lengths, x.shape[1])
        for block in self.blocks:
            x = block(x, mask)
        return self.head(x).log_softmax(dim=-1), out_lengths


def ctc_loss(log_probs: Float[Tensor, "batch frames vocab"], out_lengths: Int[Tensor, "batch"], targets: Int[Tensor, "batch letters"], target_lengths: Int[Tensor, "batch"]) -> Float[Tensor, ""]:
    return F.ctc_loss(log_probs.transpose(0, 1), targets, out_lengths, target_lengths, blank=0, zero_infinity=True)


def greedy_decode(log_probs: Float[Tensor, "batch frames vocab"], lengths: Int[Tensor, "batch"]) -> list[list[int]]:
    best = log_probs.argmax(dim=-1)
    results = []
    for row, n in zip(best, lengths.tolist()):
        collapsed = torch.unique_consecutive(row[:n])
        results.append(collapsed[collapsed != 0].tolist())
    return results


# run: m = SpeechRecognizer(20, 12); lp, n = m(randn(3, 40, 20), torch.tensor([40, 33, 25]))
# run: ctc_loss(lp, n, randint(1, 12, (3, 4)), torch.tensor([4, 3, 2])).backward(); greedy_decode(lp, n)
