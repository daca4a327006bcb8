"""An LSTM encoder and decoder with additive attention, teacher forcing and beam search."""

import random
from typing import List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

PAD, BOS, EOS = 0, 1, 2


class Encoder(nn.Module):
    def __init__(self, vocab: int, emb: int, hidden: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb, padding_idx=PAD)
        self.rnn = nn.LSTM(emb, hidden, batch_first=True, bidirectional=True)
        self.bridge_h = nn.Linear(2 * hidden, hidden)
        self.bridge_c = nn.Linear(2 * hidden, hidden)

    def forward(
        self, src: Int[Tensor, "batch src_len"], lengths: Int[Tensor, "batch"]
    ) -> Tuple[Float[Tensor, "batch src_len memory"], Tuple[Float[Tensor, "batch hidden"], Float[Tensor, "batch hidden"]]]:
        embedded = self.embedding(src)
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        outputs, (h, c) = self.rnn(packed)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True, total_length=src.size(1))
        h = torch.cat([h[0], h[1]], dim=-1)
        c = torch.cat([c[0], c[1]], dim=-1)
        return outputs, (torch.tanh(self.bridge_h(h)), torch.tanh(self.bridge_c(c)))


class AdditiveAttention(nn.Module):
    def __init__(self, query_dim: int, key_dim: int, attn_dim: int):
        super().__init__()
        self.w_q = nn.Linear(query_dim, attn_dim, bias=False)
        self.w_k = nn.Linear(key_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)

    def forward(
        self,
        query: Float[Tensor, "batch query_dim"],
        keys: Float[Tensor, "batch src_len key_dim"],
        mask: Bool[Tensor, "batch src_len"],
    ) -> Tuple[Float[Tensor, "batch key_dim"], Float[Tensor, "batch src_len"]]:
        energy = torch.tanh(self.w_q(query).unsqueeze(1) + self.w_k(keys))
        scores = self.v(energy).squeeze(-1)
        scores = scores.masked_fill(~mask, -1e9)
        weights = F.softmax(scores, dim=1)
        context = torch.bmm(weights.unsqueeze(1), keys).squeeze(1)
        return context, weights


class Decoder(nn.Module):
    def __init__(self, vocab: int, emb: int, hidden: int, attn: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb, padding_idx=PAD)
        self.attention = AdditiveAttention(hidden, 2 * hidden, attn)
        self.cell = nn.LSTMCell(emb + 2 * hidden, hidden)
        self.out = nn.Linear(3 * hidden, vocab)

    def forward(
        self,
        token: Int[Tensor, "batch"],
        state: Tuple[Float[Tensor, "batch hidden"], Float[Tensor, "batch hidden"]],
        memory: Float[Tensor, "batch src_len 2*hidden"],
        mask: Bool[Tensor, "batch src_len"],
    ) -> Tuple[Float[Tensor, "batch vocab"], Tuple[Float[Tensor, "batch hidden"], Float[Tensor, "batch hidden"]]]:
        h, c = state
        context, _ = self.attention(h, memory, mask)
        x = torch.cat((self.embedding(token), context), dim=1)
        h, c = self.cell(x, (h, c))
        logits = self.out(torch.cat((h, context), dim=1))
        return logits, (h, c)


class Seq2Seq(nn.Module):
    def __init__(self, src_vocab: int, tgt_vocab: int, emb: int = 11, hidden: int = 7, attn: int = 5):
        super().__init__()
        self.encoder = Encoder(src_vocab, emb, hidden)
        self.decoder = Decoder(tgt_vocab, emb, hidden, attn)
        self.tgt_vocab = tgt_vocab

    def forward(
        self,
        src: Int[Tensor, "batch src_len"],
        lengths: Int[Tensor, "batch"],
        tgt: Int[Tensor, "batch tgt_len"],
        teacher_forcing: float = 0.5,
    ) -> Float[Tensor, "batch tgt_len-1 tgt_vocab"]:
        memory, state = self.encoder(src, lengths)
        mask = src != PAD
        token = tgt[:, 0]
        steps: List[Tensor] = []
        for t in range(1, tgt.size(1)):
            logits, state = self.decoder(token, state, memory, mask)
            steps.append(logits)
            use_truth = random.random() < teacher_forcing
            token = tgt[:, t] if use_truth else logits.argmax(1)
        return torch.stack(steps, dim=1)

    def loss(
        self, src: Int[Tensor, "batch src_len"], lengths: Int[Tensor, "batch"], tgt: Int[Tensor, "batch tgt_len"]
    ) -> Float[Tensor, ""]:
        logits = self(src, lengths, tgt)
        return F.cross_entropy(logits.transpose(1, 2), tgt[:, 1:], ignore_index=PAD)

    @torch.no_grad()
    def beam(self, src: Int[Tensor, "1 src_len"], width: int, max_len: int) -> Optional[List[int]]:
        memory, (h, c) = self.encoder(src, torch.tensor([src.size(1)]))
        mask = (src != PAD).expand(width, -1)
        memory = memory.expand(width, -1, -1)
        h, c = h.expand(width, -1), c.expand(width, -1)
        tokens = torch.full((width, 1), BOS)
        scores = torch.zeros(width)
        scores[1:] = -float("inf")
        for _ in range(max_len):
            logits, (h, c) = self.decoder(tokens[:, -1], (h, c), memory, mask)
            total = scores[:, None] + logits.log_softmax(-1)
            scores, flat = total.view(-1).topk(width)
            parent, word = flat // self.tgt_vocab, flat % self.tgt_vocab
            tokens = torch.cat([tokens[parent], word[:, None]], dim=1)
            h, c = h[parent], c[parent]
            if bool((word == EOS).all()):
                break
        best = tokens[scores.argmax()]
        return best.tolist() if len(best) else None


# run: m = Seq2Seq(23, 19)
# run: src = randint(3, 23, (3, 13)); tgt = randint(3, 19, (3, 8)); n = torch.tensor([13, 4, 9])
# run: m(src, n, tgt); m.loss(src, n, tgt); m.beam(src[:1], 4, 5)
