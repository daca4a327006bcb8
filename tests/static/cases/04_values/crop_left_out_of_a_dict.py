from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F


@dataclass
class Config:
    widths: tuple[int, ...] = (8, 16)
    classes: int = 5
    crop: int = 32

    @classmethod
    def from_dict(cls, d):
        return cls(widths=d["widths"], classes=d["classes"], crop=d.get("crop", 16))


def dice(logits, target):
    probs = logits.softmax(1)
    truth = F.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2).float()  #! truth = F.one_hot(target, logits.shape[1]).float()
    return 1 - 2 * (probs * truth).sum((2, 3)).mean()


def main():
    cfg = replace(Config.from_dict({"widths": (4, 8), "classes": 6}), classes=7)
    logits = torch.randn(2, cfg.classes, cfg.crop, cfg.crop)
    return dice(logits, torch.randint(0, cfg.classes, (2, cfg.crop, cfg.crop)))  # E: shape


# run: main()
