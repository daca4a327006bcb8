import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

DEFAULTS = {"n": 8, "size": 6, "batch": 4, "out": 3}


class Pairs(Dataset):
    def __init__(self, n, size):
        self.n, self.size = n, size

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return {"left": torch.randn(self.size), "right": torch.randn(self.size), "id": i}


def collate(items):
    batch = {key: torch.stack([item[key] for item in items]) for key in ("left", "right")}
    return {**batch, "id": torch.tensor([item["id"] for item in items])}


def make_loader(cfg):
    return DataLoader(Pairs(cfg["n"], cfg["size"]), batch_size=cfg["batch"], collate_fn=collate)


def main():
    cfg = {**DEFAULTS, "n": 12}
    embed, total = nn.Linear(cfg["size"], cfg["out"]), 0.0
    for batch in make_loader(cfg):
        left, right = embed(batch["left"]), embed(batch["right"])
        logits = left @ right.T  #! logits = left @ right  # E: shape
        total += nn.functional.cross_entropy(logits, torch.arange(len(logits))).item()
    return total


# run: main()
