import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.rnn = nn.GRU(emb, hid, bidirectional=True)
        self.fc = nn.Linear(2 * hid, hid)

    def forward(self, src):
        out, h = self.rnn(self.emb(src))
        h = torch.tanh(self.fc(torch.cat((h[-2], h[-1]), dim=1)))
        return out, h


class Attention(nn.Module):
    def __init__(self, hid):
        super().__init__()
        self.attn = nn.Linear(3 * hid, hid)
        self.v = nn.Linear(hid, 1, bias=False)

    def forward(self, h, enc):
        L = enc.shape[0]
        h = h.unsqueeze(1).repeat(1, L, 1)
        enc = enc.permute(1, 0, 2)  #! enc = enc.permute(0, 1, 2)
        e = torch.tanh(self.attn(torch.cat((h, enc), dim=2)))
        return self.v(e).squeeze(2).softmax(1)


class Decoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.attn = Attention(hid)
        self.rnn = nn.GRU(emb + 2 * hid, hid)
        self.out = nn.Linear(emb + 3 * hid, vocab)

    def forward(self, tok, h, enc):
        e = self.emb(tok.unsqueeze(0))
        a = self.attn(h, enc).unsqueeze(1)
        c = torch.bmm(a, enc.permute(1, 0, 2)).permute(1, 0, 2)
        o, h = self.rnn(torch.cat((e, c), dim=2), h.unsqueeze(0))
        return self.out(torch.cat((o, c, e), dim=2).squeeze(0)), h.squeeze(0)


def main():
    enc, dec = Encoder(50, 16, 32), Decoder(60, 16, 32)
    src, trg = torch.randint(0, 50, (9, 4)), torch.randint(0, 60, (7, 4))
    states, h = enc(src)
    outs = []
    tok = trg[0]
    for t in range(1, 7):
        y, h = dec(tok, h, states)  # E: shape
        outs.append(y)
        tok = trg[t]
    logits = torch.stack(outs)
    return nn.functional.cross_entropy(logits.flatten(0, 1), trg[1:].flatten())


# run: main()
