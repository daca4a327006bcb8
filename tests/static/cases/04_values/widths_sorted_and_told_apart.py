import torch
from torch import Tensor, nn


class Towers(nn.Module):
    def __init__(self, widths: dict[str, int], order: list[str]) -> None:
        super().__init__()
        self.names = sorted(set(order), key=order.index)
        self.first = nn.Linear(next(iter(widths.values())), 8)
        self.towers = nn.ModuleDict({name: nn.Linear(8, widths[name]) for name in order})
        self.out = nn.Linear(sum(sorted(widths.values(), reverse=True)[:2]), 3)

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        wide = max(self.towers, key=lambda name: self.towers[name].out_features)
        return self.out(torch.cat([self.towers["text"](x), self.towers["image"](x)], -1)) + len(wide)  #! return self.out(torch.cat([self.towers["text"](x), self.towers["mask"](x)], -1)) + len(wide)  # e: shape


def main() -> Tensor:
    net = Towers({"text": 12, "image": 20, "mask": 2}, ["image", "text", "mask"])
    return net(torch.zeros(4, 12))  # E: shape


# run: main()
