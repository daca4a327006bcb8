import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, n, size, vocab, max_len):
        self.n, self.size, self.vocab, self.max_len = n, size, vocab, max_len

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        length = 3 + i % (self.max_len - 3)
        return {"image": torch.randn(3, self.size, self.size), "tokens": torch.randint(1, self.vocab, (length,))}


def collate(batch):
    images = torch.stack([b["image"] for b in batch])
    tokens = pad_sequence([b["tokens"] for b in batch], batch_first=True)
    return {"image": images, "tokens": tokens, "mask": tokens != 0}


def make_loader(cfg):
    data = Pairs(cfg["n"], cfg["size"], cfg["vocab"], cfg["max_len"])
    return DataLoader(data, batch_size=cfg["batch"], collate_fn=collate)
