import torch
from torch import Tensor, nn


class Anchors(nn.Module):
    def __init__(self, scales: tuple[int, ...] = (1, 2), ratios: tuple[float, ...] = (0.5, 1.0, 2.0)) -> None:
        super().__init__()
        self.boxes = [(s * r, s / r) for s in scales for r in ratios]
        self.heads = nn.ModuleList(nn.Linear(16, 4 * s) for s in scales for _ in ratios)
        self.score = nn.Linear(16, len(self.boxes))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return torch.cat([head(x) for head in self.heads], dim=-1), self.score(x)


def main() -> Tensor:
    offsets, scores = Anchors()(torch.zeros(2, 16))
    return offsets.view(2, -1, 4) * scores.repeat_interleave(torch.tensor([1, 1, 1, 2, 2, 2]), 1)[..., None] + torch.zeros(2, 9, 4)  #! return offsets + torch.zeros(2, 24)  # E: shape


# run: main()
