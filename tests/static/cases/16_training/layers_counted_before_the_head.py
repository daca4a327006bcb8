import torch
from torch import nn


class LoRA(nn.Module):
    def __init__(self, base: nn.Linear, rank: int):
        super().__init__()
        self.base = base
        self.down = nn.Linear(base.in_features, rank, bias=False)
        self.up = nn.Linear(rank, base.out_features, bias=False)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x))


def inject(model: nn.Module, rank: int) -> int:
    count = 0
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear) and not isinstance(parent, LoRA):
                setattr(parent, name, LoRA(child, rank))
                count += 1
    return count


def main():
    body = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.Flatten(), nn.Linear(8 * 8 * 9, 16))
    assert inject(body, 2) == 1
    images = torch.randn(6, 3, 8, 9)
    head = nn.Linear(3 * 8 * 9, 4)  #! head = nn.Linear(3 * 8 * 8, 4)
    return body(images), head(images.flatten(1))  # E: shape


# run: main()
