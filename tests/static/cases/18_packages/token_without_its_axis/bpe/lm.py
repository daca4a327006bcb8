import math

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from bpe.tokenizer import Tokenizer


def sinusoidal(length, dim):
    pos = torch.arange(length)[:, None]
    div = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
    pe = torch.zeros(length, dim)
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe


class LM(nn.Module):
    def __init__(self, vocab: int, dim: int, length: int):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.register_buffer("pe", sinusoidal(length, dim))
        layer = nn.TransformerEncoderLayer(dim, 4, 4 * dim, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, 2)
        self.norm = nn.LayerNorm(dim)

    def forward(self, ids: Int[Tensor, "b t"]) -> Float[Tensor, "b t v"]:
        t = ids.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(t)
        x = self.tok(ids) + self.pe[:t]
        x = self.norm(self.body(x, mask=mask))
        return x @ self.tok.weight.T


def perplexity(model, batch, pad):
    logits = model(batch[:, :-1])
    target = batch[:, 1:]
    nll = F.cross_entropy(logits.transpose(1, 2), target, reduction="none")
    keep = target != pad
    return ((nll * keep).sum(1) / keep.sum(1)).exp()


@torch.no_grad()
def top_p(logits: Float[Tensor, "b v"], p: float = 0.9) -> Int[Tensor, "b 1"]:
    probs, order = logits.softmax(-1).sort(dim=-1, descending=True)
    drop = probs.cumsum(-1) - probs > p
    probs = probs.masked_fill(drop, 0.0)
    choice = torch.multinomial(probs, 1)
    return order.gather(-1, choice)


def main():
    tok = Tokenizer.train("the cat sat on the mat", 3)
    batch = tok.batch(["the cat", "a mat", "sat"], 16)
    model = LM(tok.vocab_size, 32, 16)
    ppl = perplexity(model, batch, tok.special["<pad>"])
    nxt = top_p(model(batch)[:, -1])
    batch = torch.cat([batch[:, 1:], nxt], dim=1)  #! batch = torch.cat([batch[:, 1:], nxt.squeeze(1)], dim=1)  # E: shape
    return (ppl.mean() + batch.float().mean()).item()


# main: bpe/lm.py
# run: main()
