import torch
from torch import nn

from nets.base import Conv, MLP, Recurrent
from nets.wrap import Calibrated, Ensemble


def main():
    torch.manual_seed(0)
    seq = torch.randn(7, 15, 4)
    mlp = MLP(4, 3, widths=(24, 12))
    per_step = mlp(seq)
    pooled = per_step.mean(1)
    models = [Recurrent(4, 3), Conv(4, 3)]
    mixed = Ensemble(models)(seq)  # E: shape
    calibrated = Calibrated(mlp, 3)(seq[:, 0])
    loss = nn.functional.nll_loss((mixed + 1e-6).log(), mlp.predict(seq[:, 0]))
    return loss.item() + (pooled - calibrated).sum().item()


# main: run.py
# run: main()
