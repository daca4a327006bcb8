import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class HierarchicalAttention(nn.Module):
    def __init__(self, vocab: int, emb: int, hidden: int, classes: int):
        super().__init__()
        self.embed = nn.Embedding(vocab, emb)
        self.word = nn.GRU(emb, hidden, bidirectional=True, batch_first=True)
        self.word_att = nn.Linear(2 * hidden, 2 * hidden)
        self.context = nn.Parameter(torch.randn(2 * hidden))
        self.sentence = nn.LSTM(2 * hidden, hidden, num_layers=2, batch_first=True)
        self.out = nn.Linear(hidden, classes)

    def attend(self, h):
        scores = torch.tanh(self.word_att(h)) @ self.context
        return (scores.softmax(-1).unsqueeze(-1) * h).sum(-2)

    def forward(self, docs: Int[Tensor, "b s w"], lengths: Int[Tensor, "b"]) -> Float[Tensor, "b classes"]:
        b, s, w = docs.shape
        h, _ = self.word(self.embed(docs.view(b * s, w)))
        sentences = self.attend(h).view(b, s, -1)
        packed = pack_padded_sequence(sentences, lengths, batch_first=True, enforce_sorted=False)
        _, (hn, cn) = self.sentence(packed)
        return self.out(hn[-1])  #! return self.out(hn)  # E: shape


def main():
    model = HierarchicalAttention(50, 8, 6, 4)
    docs = torch.randint(0, 50, (3, 5, 7))
    logits = model(docs, torch.tensor([5, 3, 2]))
    return logits.sum().item()


# run: main()
