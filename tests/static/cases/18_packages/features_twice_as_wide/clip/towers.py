import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class ImageTower(nn.Module):
    def __init__(self, width, out):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, width, 3, 2, 1), nn.ReLU(), nn.Conv2d(width, 2 * width, 3, 2, 1), nn.ReLU()
        )
        self.project = nn.Linear(2 * width, out)  #! self.project = nn.Linear(width, out)

    def forward(self, image: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b out"]:
        return self.project(self.features(image).mean((2, 3)))  # E: shape


class TextTower(nn.Module):
    def __init__(self, vocab, width, out):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.rnn = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.project = nn.Linear(2 * width, out)

    def forward(self, tokens: Int[Tensor, "b t"], mask: Bool[Tensor, "b t"]) -> Float[Tensor, "b out"]:
        h, _ = self.rnn(self.embed(tokens))
        m = mask.unsqueeze(-1).float()
        return self.project((h * m).sum(1) / m.sum(1).clamp(min=1))
