import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Seq2Seq(nn.Module):
    def __init__(self, src_vocab: int, tgt_vocab: int, emb: int, hidden: int):
        super().__init__()
        self.src_emb = nn.Embedding(src_vocab, emb)
        self.tgt_emb = nn.Embedding(tgt_vocab, emb)
        self.encoder = nn.GRU(emb, hidden, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden, hidden)
        self.decoder = nn.GRU(emb + 2 * hidden, hidden, batch_first=True)  #! self.decoder = nn.GRU(emb + hidden, hidden, batch_first=True)
        self.attn = nn.Linear(hidden, 2 * hidden, bias=False)
        self.out = nn.Linear(hidden, tgt_vocab)

    def forward(self, src: Int[Tensor, "b s"], tgt: Int[Tensor, "b t"]) -> Float[Tensor, "b t tgt_vocab"]:
        enc, h = self.encoder(self.src_emb(src))
        state = torch.tanh(self.bridge(torch.cat([h[0], h[1]], dim=-1))).unsqueeze(0)
        outputs = []
        for i in range(tgt.size(1)):
            scores = torch.einsum("bsh,bh->bs", enc, self.attn(state[-1]))
            ctx = torch.einsum("bs,bsh->bh", scores.softmax(-1), enc)
            inp = torch.cat([self.tgt_emb(tgt[:, i]), ctx], dim=-1).unsqueeze(1)
            y, state = self.decoder(inp, state)  # E: shape
            outputs.append(self.out(y.squeeze(1)))
        return torch.stack(outputs, dim=1)


# run: Seq2Seq(7, 9, 4, 5)(randint(0, 7, (2, 3)), randint(0, 9, (2, 4)))
