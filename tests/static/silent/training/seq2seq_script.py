"""Translation with recurrent encoder, attention decoder, packing, beam search and masked loss."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

PAD, BOS, EOS = 0, 1, 2


class Pairs(Dataset[tuple[Tensor, Tensor]]):
    def __init__(self, n: int, vocab: int) -> None:
        g = torch.Generator().manual_seed(0)
        self.items = [torch.randint(3, vocab, (int(torch.randint(2, 6, (), generator=g)),), generator=g) for _ in range(n)]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, i: int) -> tuple[Int[Tensor, "s"], Int[Tensor, "t"]]:
        src = self.items[i]
        return src, torch.cat([torch.tensor([BOS]), src.flip(0), torch.tensor([EOS])])


def collate(batch: list[tuple[Int[Tensor, "_s"], Int[Tensor, "_t"]]]) -> tuple[Int[Tensor, "b s"], Int[Tensor, "b"], Int[Tensor, "b t"]]:
    srcs, tgts = zip(*batch)
    lengths = torch.tensor([len(s) for s in srcs])
    src = pad_sequence(srcs, batch_first=True, padding_value=PAD)
    tgt = pad_sequence(tgts, batch_first=True, padding_value=PAD)
    return src, lengths, tgt


@dataclass
class Memory:
    states: Float[Tensor, "b s two_h"]
    mask: Bool[Tensor, "b s"]


class Encoder(nn.Module):
    def __init__(self, vocab: int, emb: int, hid: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, emb, padding_idx=PAD)
        self.rnn = nn.GRU(emb, hid, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hid, hid)

    def forward(self, src: Int[Tensor, "b s"], lengths: Int[Tensor, "b"]) -> tuple[Memory, Float[Tensor, "b hid"]]:
        packed = pack_padded_sequence(self.embed(src), lengths, batch_first=True, enforce_sorted=False)
        out, h = self.rnn(packed)
        states, _ = pad_packed_sequence(out, batch_first=True, total_length=src.shape[1])
        init = torch.tanh(self.bridge(torch.cat([h[0], h[1]], dim=-1)))
        return Memory(states, src != PAD), init


class Attention(nn.Module):
    def __init__(self, hid: int, mem: int, dim: int) -> None:
        super().__init__()
        self.q = nn.Linear(hid, dim)
        self.k = nn.Linear(mem, dim)
        self.v = nn.Parameter(torch.randn(dim))

    def forward(self, query: Float[Tensor, "b hid"], memory: Memory) -> tuple[Float[Tensor, "b mem"], Float[Tensor, "b s"]]:
        energy = torch.tanh(self.q(query)[:, None] + self.k(memory.states)) @ self.v
        weights = energy.masked_fill(~memory.mask, -1e9).softmax(dim=-1)
        context = torch.bmm(weights.unsqueeze(1), memory.states).squeeze(1)
        return context, weights


class Decoder(nn.Module):
    def __init__(self, vocab: int, emb: int, hid: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, emb, padding_idx=PAD)
        self.attn = Attention(hid, 2 * hid, hid)
        self.cell = nn.GRUCell(emb + 2 * hid, hid)
        self.out = nn.Linear(3 * hid, vocab)

    def step(self, token: Int[Tensor, "b"], h: Float[Tensor, "b hid"], memory: Memory) -> tuple[Float[Tensor, "b vocab"], Float[Tensor, "b hid"]]:
        context, _ = self.attn(h, memory)
        h = self.cell(torch.cat([self.embed(token), context], dim=-1), h)
        return self.out(torch.cat([h, context], dim=-1)), h

    def forward(self, tgt: Int[Tensor, "b t"], h: Float[Tensor, "b hid"], memory: Memory) -> Float[Tensor, "b t-1 vocab"]:
        logits = []
        for i in range(tgt.shape[1] - 1):
            step_logits, h = self.step(tgt[:, i], h, memory)
            logits.append(step_logits)
        return torch.stack(logits, dim=1)


class Seq2Seq(nn.Module):
    def __init__(self, vocab: int = 20, emb: int = 8, hid: int = 12) -> None:
        super().__init__()
        self.encoder, self.decoder = Encoder(vocab, emb, hid), Decoder(vocab, emb, hid)

    def forward(self, src: Int[Tensor, "b s"], lengths: Int[Tensor, "b"], tgt: Int[Tensor, "b t"]) -> Float[Tensor, ""]:
        memory, h = self.encoder(src, lengths)
        logits = self.decoder(tgt, h, memory)
        return F.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=PAD)

    @torch.no_grad()
    def greedy(self, src: Int[Tensor, "b s"], lengths: Int[Tensor, "b"], max_len: int) -> Int[Tensor, "b n"]:
        memory, h = self.encoder(src, lengths)
        token = torch.full((src.shape[0],), BOS)
        out: list[Int[Tensor, "b"]] = []
        for _ in range(max_len):
            logits, h = self.decoder.step(token, h, memory)
            token = logits.argmax(dim=-1)
            out.append(token)
            if (token == EOS).all():
                break
        return torch.stack(out, dim=1)


def bleu_precision(hyp: Int[Tensor, "b n"], ref: Int[Tensor, "b m"]) -> Float[Tensor, "b"]:
    hit = (hyp[:, :, None] == ref[:, None, :]).any(dim=-1)
    valid = hyp != PAD
    return (hit & valid).float().sum(dim=1) / valid.sum(dim=1).clamp(min=1)


def train(steps: int = 2) -> float:
    loader = DataLoader(Pairs(16, 20), batch_size=4, shuffle=True, collate_fn=collate)
    model = Seq2Seq()
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    loss = torch.zeros(())
    for _, (src, lengths, tgt) in zip(range(steps), loader):
        loss = model(src, lengths, tgt)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
    return loss.item()


def example() -> None:
    train()
    m = Seq2Seq()
    src, lengths, tgt = collate([Pairs(4, 20)[i] for i in range(3)])
    bleu_precision(m.greedy(src, lengths, 5), tgt)


# run: example()
