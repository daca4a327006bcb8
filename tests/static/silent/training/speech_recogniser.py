"""Audio to characters: features, convolutional front end, recurrent encoder, CTC and attention decoders."""

import math
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Optional, TypedDict

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset


@dataclass(frozen=True)
class FeatureConfig:
    rate: int = 1000
    n_fft: int = 64
    hop: int = 16
    n_mels: int = 12

    @property
    def bins(self) -> int:
        return self.n_fft // 2 + 1


class Item(TypedDict):
    wave: Float[Tensor, "t"]
    text: Int[Tensor, "u"]


class Batch(TypedDict):
    wave: Float[Tensor, "b t"]
    lengths: Int[Tensor, "b"]
    text: Int[Tensor, "b u"]
    text_lengths: Int[Tensor, "b"]


class Toy(Dataset):
    def __init__(self, n: int, vocab: int):
        self.n, self.vocab = n, vocab

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> Item:
        return {"wave": torch.randn(600 + 40 * i), "text": torch.randint(1, self.vocab, (3 + i % 2,))}


def collate(items: list[Item]) -> Batch:
    waves = [it["wave"] for it in items]
    texts = [it["text"] for it in items]
    return {
        "wave": pad_sequence(waves, batch_first=True),
        "lengths": torch.tensor([len(w) for w in waves]),
        "text": pad_sequence(texts, batch_first=True),
        "text_lengths": torch.tensor([len(t) for t in texts]),
    }


class LogMel(nn.Module):
    bank: Float[Tensor, "mels bins"]

    def __init__(self, cfg: FeatureConfig):
        super().__init__()
        self.cfg = cfg
        centres = torch.linspace(0, cfg.bins - 1, cfg.n_mels + 2)
        f = torch.arange(cfg.bins)
        left, mid, right = centres[:-2, None], centres[1:-1, None], centres[2:, None]
        up, down = (f - left) / (mid - left), (right - f) / (right - mid)
        self.register_buffer("bank", torch.minimum(up, down).clamp(min=0))
        self.register_buffer("window", torch.hann_window(cfg.n_fft))

    def forward(self, wave: Float[Tensor, "b t"]) -> Float[Tensor, "b frames mels"]:
        spec = torch.stft(wave, self.cfg.n_fft, self.cfg.hop, window=self.window, return_complex=True)
        mel = self.bank @ spec.abs().square()
        return (mel + 1e-6).log().transpose(1, 2)

    def frames(self, lengths: Int[Tensor, "b"]) -> Int[Tensor, "b"]:
        return lengths // self.cfg.hop + 1


class SpecAugment(nn.Module):
    def __init__(self, width: int = 2):
        super().__init__()
        self.width = width

    def forward(self, x: Float[Tensor, "b t f"]) -> Float[Tensor, "b t f"]:
        if not self.training:
            return x
        x = x.clone()
        for axis in (1, 2):
            start = int(torch.randint(0, x.shape[axis] - self.width, ()))
            x.narrow(axis, start, self.width).zero_()
        return x


class Subsample(nn.Module):
    def __init__(self, n_mels: int, channels: int, out: int):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, channels, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(channels, channels, 3, stride=2, padding=1), nn.ReLU(),
        )  # fmt: skip
        self.out = nn.Linear(channels * math.ceil(n_mels / 4), out)

    def forward(self, x: Float[Tensor, "b t f"]) -> Float[Tensor, "b t4 d"]:
        y = self.conv(x.unsqueeze(1))
        b, c, t, f = y.shape
        return self.out(y.permute(0, 2, 1, 3).reshape(b, t, c * f))

    @staticmethod
    def lengths(n: Int[Tensor, "b"]) -> Int[Tensor, "b"]:
        for _ in range(2):
            n = (n + 1) // 2
        return n


class Encoder(nn.Module):
    def __init__(self, d: int, layers: int):
        super().__init__()
        self.rnn = nn.LSTM(d, d // 2, layers, batch_first=True, bidirectional=True)
        self.norm = nn.LayerNorm(d)

    def forward(self, x: Float[Tensor, "b t d"], n: Int[Tensor, "b"]) -> Float[Tensor, "b t d"]:
        packed = pack_padded_sequence(x, n.cpu(), batch_first=True, enforce_sorted=False)
        y, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True, total_length=x.shape[1])
        return self.norm(x + y)


class AttentionDecoder(nn.Module):
    def __init__(self, d: int, vocab: int):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.cell = nn.GRUCell(2 * d, d)
        self.query = nn.Linear(d, d)
        self.out = nn.Linear(2 * d, vocab)

    def step(
        self,
        token: Int[Tensor, "b"],
        state: Float[Tensor, "b d"],
        memory: Float[Tensor, "b t d"],
        pad: Bool[Tensor, "b t"],
    ) -> tuple[Float[Tensor, "b vocab"], Float[Tensor, "b d"]]:
        score = torch.einsum("bd,btd->bt", self.query(state), memory) / memory.shape[-1] ** 0.5
        weight = score.masked_fill(pad, -torch.inf).softmax(-1)
        context = (weight.unsqueeze(1) @ memory).squeeze(1)
        state = self.cell(torch.cat([self.embed(token), context], -1), state)
        return self.out(torch.cat([state, context], -1)), state

    def forward(self, memory: Float[Tensor, "b t d"], pad: Bool[Tensor, "b t"], text: Int[Tensor, "b u"]) -> Float[Tensor, "b u vocab"]:
        state = memory.new_zeros(memory.shape[0], memory.shape[2])
        token = torch.zeros_like(text[:, 0])
        outs = []
        for i in range(text.shape[1]):
            logits, state = self.step(token, state, memory, pad)
            outs.append(logits)
            token = text[:, i]
        return torch.stack(outs, dim=1)


class Recogniser(nn.Module):
    def __init__(self, cfg: FeatureConfig = FeatureConfig(), d: int = 24, vocab: int = 9, **kw: Any):
        super().__init__()
        self.features, self.augment = LogMel(cfg), SpecAugment(**kw)
        self.front = Subsample(cfg.n_mels, 4, d)
        self.encoder = Encoder(d, 2)
        self.ctc = nn.Linear(d, vocab)
        self.decoder = AttentionDecoder(d, vocab)

    def encode(self, wave: Float[Tensor, "b t"], n: Int[Tensor, "b"]) -> tuple[Float[Tensor, "b s d"], Int[Tensor, "b"]]:
        x = self.augment(self.features(wave))
        x = self.front(x)
        n = Subsample.lengths(self.features.frames(n))
        return self.encoder(x, n), n

    def loss(self, batch: Batch, mix: float = 0.3) -> Float[Tensor, ""]:
        memory, n = self.encode(batch["wave"], batch["lengths"])
        logp = self.ctc(memory).log_softmax(-1).transpose(0, 1)
        ctc = F.ctc_loss(logp, batch["text"], n, batch["text_lengths"], zero_infinity=True)
        pad = torch.arange(memory.shape[1])[None] >= n[:, None]
        logits = self.decoder(memory, pad, batch["text"])
        keep = torch.arange(batch["text"].shape[1]) < batch["text_lengths"][:, None]
        ce = F.cross_entropy(logits[keep], batch["text"][keep])
        return mix * ctc + (1 - mix) * ce

    @torch.inference_mode()
    def greedy(self, wave: Float[Tensor, "b t"], n: Int[Tensor, "b"]) -> list[list[int]]:
        memory, n = self.encode(wave, n)
        best = self.ctc(memory).argmax(-1)
        out = []
        for row, k in zip(best, n.tolist()):
            collapsed = torch.unique_consecutive(row[:k])
            out.append([int(c) for c in collapsed if c != 0])
        return out


def main(amp: bool = False) -> None:
    torch.manual_seed(0)
    model = Recogniser(replace(FeatureConfig(), n_mels=10))
    opt = torch.optim.Adam(model.parameters())
    loader = DataLoader(Toy(4, 9), batch_size=2, collate_fn=collate)
    context = torch.autocast("cpu", dtype=torch.bfloat16) if amp else nullcontext()
    for batch in loader:
        with context:
            loss = model.loss(batch)
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    print(model.greedy(batch["wave"], batch["lengths"]))


# run: main()
