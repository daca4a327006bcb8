from collections import Counter

import torch


class Tokenizer:
    def __init__(self, merges=()):
        self.merges = {pair: 256 + i for i, pair in enumerate(merges)}
        self.special = {"<pad>": 256 + len(self.merges), "<eos>": 257 + len(self.merges)}

    @property
    def vocab_size(self):
        return 258 + len(self.merges)

    @classmethod
    def train(cls, text, n):
        ids, merges = list(text.encode()), []
        for _ in range(n):
            pair, _ = Counter(zip(ids, ids[1:])).most_common(1)[0]
            merges.append(pair)
        return cls(merges)

    def encode(self, text):
        return list(text.encode()) + [self.special["<eos>"]]

    def batch(self, texts, length):
        out = torch.full((len(texts), length), self.special["<pad>"])
        for i, t in enumerate(texts):
            ids = self.encode(t)[:length]
            out[i, : len(ids)] = torch.tensor(ids)
        return out
