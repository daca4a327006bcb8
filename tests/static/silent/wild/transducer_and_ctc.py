"""Transducers and CTC: joint networks, forward variables, greedy and prefix beam decoding."""
from __future__ import annotations

import math
from collections import defaultdict
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

NEG = float("-inf")


class Joint(nn.Module):
    def __init__(self, enc: int, pred: int, dim: int, vocab: int) -> None:
        super().__init__()
        self.e, self.p, self.o = nn.Linear(enc, dim), nn.Linear(pred, dim), nn.Linear(dim, vocab)

    def forward(self, f: Float[Tensor, "b t e"], g: Float[Tensor, "b u p"]) -> Float[Tensor, "b t u v"]:
        return self.o((self.e(f)[:, :, None] + self.p(g)[:, None]).tanh())


class Subsample(nn.Module):
    def __init__(self, mel: int, dim: int, factor: int = 4) -> None:
        super().__init__()
        self.convs = nn.ModuleList()
        c = mel
        for _ in range(int(math.log2(factor))):
            self.convs.append(nn.Conv1d(c, dim, 3, stride=2, padding=1))
            c = dim

    def forward(self, x: Float[Tensor, "b t mel"], n: Int[Tensor, "b"]) -> tuple[Float[Tensor, "b s d"], Int[Tensor, "b"]]:
        x = x.mT
        for conv in self.convs:
            x = F.gelu(conv(x))
            n = torch.div(n - 1, 2, rounding_mode="floor") + 1
        return x.mT, n


class Predictor(nn.Module):
    def __init__(self, vocab: int, dim: int) -> None:
        super().__init__()
        self.embed, self.rnn = nn.Embedding(vocab, dim, padding_idx=0), nn.LSTM(dim, dim, batch_first=True)

    def forward(self, y: Int[Tensor, "b u"], state: tuple[Tensor, Tensor] | None = None):
        return self.rnn(self.embed(y), state)


def rnnt_loss(logp: Float[Tensor, "b t u1 v"], y: Int[Tensor, "b u"]) -> Float[Tensor, " b"]:
    b, t, u1, _ = logp.shape
    blank = logp[..., 0]
    label = logp[:, :, :-1].gather(-1, y[:, None, :, None].expand(-1, t, -1, 1)).squeeze(-1)
    alpha = [[torch.zeros(b)] + [torch.full((b,), NEG)] * (u1 - 1)]
    for u in range(1, u1):
        alpha[0][u] = alpha[0][u - 1] + label[:, 0, u - 1]
    for i in range(1, t):
        row = [alpha[i - 1][0] + blank[:, i - 1, 0]]
        for u in range(1, u1):
            stay, emit = alpha[i - 1][u] + blank[:, i - 1, u], row[u - 1] + label[:, i, u - 1]
            row.append(torch.logaddexp(stay, emit))
        alpha.append(row)
    return -(alpha[-1][-1] + blank[:, -1, -1])


def ctc_forward(logp: Float[Tensor, "t v"], y: Int[Tensor, " u"]) -> Float[Tensor, ""]:
    ext = torch.zeros(2 * len(y) + 1, dtype=torch.long)
    ext[1::2] = y
    skip = torch.zeros(len(ext), dtype=torch.bool)
    skip[2:] = (ext[2:] != 0) & (ext[2:] != ext[:-2])
    a = torch.full((len(ext),), NEG)
    a[:2] = logp[0, ext[:2]]
    for t in range(1, logp.shape[0]):
        one = F.pad(a[:-1], (1, 0), value=NEG)
        two = F.pad(a[:-2], (2, 0), value=NEG).masked_fill(~skip, NEG)
        a = torch.stack([a, one, two]).logsumexp(0) + logp[t, ext]
    return -a[-2:].logsumexp(0)


def collapse(path: Int[Tensor, " t"]) -> Int[Tensor, " u"]:
    keep = torch.ones_like(path, dtype=torch.bool)
    keep[1:] = path[1:] != path[:-1]
    out = path[keep]
    return out[out != 0]


def prefix_beam(logp: Float[Tensor, "t v"], width: int = 4) -> list[tuple[tuple[int, ...], float]]:
    beams: dict[tuple[int, ...], tuple[Tensor, Tensor]] = {(): (torch.tensor(0.0), torch.tensor(NEG))}
    for frame in logp:
        new: dict[tuple[int, ...], list[Tensor]] = defaultdict(lambda: [torch.tensor(NEG), torch.tensor(NEG)])
        for prefix, (pb, pn) in beams.items():
            for c, p in enumerate(frame):
                if c == 0:
                    new[prefix][0] = torch.logaddexp(new[prefix][0], torch.logaddexp(pb, pn) + p)
                    continue
                last = prefix[-1] if prefix else None
                grown = (*prefix, c)
                new[grown][1] = torch.logaddexp(new[grown][1], (pb if c == last else torch.logaddexp(pb, pn)) + p)
                if c == last:
                    new[prefix][1] = torch.logaddexp(new[prefix][1], pn + p)
        ranked = sorted(new.items(), key=lambda kv: -float(torch.logaddexp(*kv[1])))
        beams = {k: (v[0], v[1]) for k, v in ranked[:width]}
    return [(k, float(torch.logaddexp(*v))) for k, v in beams.items()]


@torch.no_grad()
def greedy(f: Float[Tensor, "1 t e"], pred: Predictor, joint: Joint, limit: int = 3) -> Int[Tensor, " u"]:
    g, state = pred(torch.zeros(1, 1, dtype=torch.long))
    out = torch.empty(0, dtype=torch.long)
    for t in range(f.shape[1]):
        for _ in range(limit):
            k = joint(f[:, t : t + 1], g)[0, 0, 0].argmax()
            if k == 0:
                break
            out = torch.cat([out, k[None]])
            g, state = pred(k.view(1, 1), state)
    return out


def main() -> None:
    sub, pred, joint = Subsample(8, 12), Predictor(6, 10), Joint(12, 10, 16, 6)
    x, n = torch.randn(2, 21, 8), torch.tensor([21, 13])
    f, m = sub(x, n)
    assert f.shape == (2, 6, 12) and m.tolist() == [6, 4]
    y = torch.randint(1, 6, (2, 3))
    g, (h, c) = pred(F.pad(y, (1, 0)))
    logp = joint(f, g).log_softmax(-1)
    assert logp.shape == (2, 6, 4, 6) and h.shape == (1, 2, 10)
    loss = rnnt_loss(logp, y)
    ctc = ctc_forward(logp[0, :, 0], y[0])
    ref = F.ctc_loss(logp[:, :, 0].transpose(0, 1), y, m, torch.tensor([3, 3]), reduction="none")
    assert loss.shape == ref.shape == (2,) and ctc.shape == ()
    path = logp[0, :, 0].argmax(-1)
    words = collapse(path)
    beams = prefix_beam(logp[1, :, 0])
    hyp = greedy(f[:1], pred, joint)
    assert len(beams) <= 4 and hyp.ndim == 1 and words.ndim == 1


# run: main()
