import torch
import torch.nn.functional as F
from torch import nn

from clip.data import make_loader
from clip.towers import ImageTower, TextTower

DEFAULTS = {"n": 8, "size": 16, "vocab": 30, "max_len": 9, "batch": 4, "width": 8, "out": 12}


class CLIP(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.image = ImageTower(cfg["width"], cfg["out"])
        self.text = TextTower(cfg["vocab"], cfg["width"], cfg["out"])
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, batch):
        i = F.normalize(self.image(batch["image"]), dim=-1)
        t = F.normalize(self.text(batch["tokens"], batch["mask"]), dim=-1)
        logits = self.scale.exp() * i @ t.T
        labels = torch.arange(len(logits))
        return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2


def main(**overrides):
    cfg = {**DEFAULTS, **overrides}
    model = CLIP(cfg)
    total = 0.0
    for batch in make_loader(cfg):
        total += model(batch).item()
    return total


# main: clip/model.py
# run: main(batch=4)
