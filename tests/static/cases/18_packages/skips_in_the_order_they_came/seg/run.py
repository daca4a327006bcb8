import torch
import torch.nn.functional as F

from seg.config import Config
from seg.unet import UNet


def dice_loss(logits, target, eps=1e-6):
    probs = logits.softmax(1)
    onehot = F.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2).float()
    inter = (probs * onehot).sum((2, 3))
    return 1 - ((2 * inter + eps) / (probs.sum((2, 3)) + onehot.sum((2, 3)) + eps)).mean()


def main():
    cfg = Config.from_dict({"encoder": {"in_channels": 3, "widths": (4, 8)}, "num_classes": 6}).with_classes(7)
    model = UNet(cfg)
    images = torch.randn(2, 3, cfg.crop, cfg.crop)
    target = torch.randint(0, cfg.num_classes, (2, cfg.crop, cfg.crop))
    logits = model(images)  # E: shape
    return (dice_loss(logits, target) + F.cross_entropy(logits, target)).item()


# run: main()
