import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from mt.heads import build_heads
from mt.options import defaults


class Mixer(nn.Module):
    def __init__(self, tokens, width, act):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.token = nn.Sequential(nn.Linear(tokens, 2 * tokens), getattr(nn, act)(), nn.Linear(2 * tokens, tokens))
        self.channel = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        x = x + self.token(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channel(x)


class Net(nn.Module):
    def __init__(self, args, tokens: int, in_dim: int):
        super().__init__()
        self.stem = nn.Linear(in_dim, args.width)
        self.blocks = nn.Sequential(*[Mixer(tokens, args.width, args.act) for _ in range(args.depth)])
        self.heads = build_heads(args.width, args.tasks)

    def forward(self, x: Float[Tensor, "b tokens in_dim"]):
        h = self.blocks(self.stem(x)).mean(dim=1)
        return {name: head(h) for name, head in self.heads.items()}


LOSSES = {
    "age": lambda out, y: F.mse_loss(out.squeeze(-1), y),
    "gender": F.cross_entropy,
    "mood": lambda out, y: F.cross_entropy(out, y, label_smoothing=0.1),
}


def total_loss(outputs, targets, weights=None):
    losses = torch.stack([LOSSES[name](out, targets[name]) for name, out in outputs.items()])
    weights = torch.ones(len(losses)) if weights is None else weights
    return (weights * losses).sum()


def main():
    args = defaults()
    model = Net(args, tokens=9, in_dim=6)
    outputs = model(torch.randn(4, 9, 6))  #! outputs = model(torch.randn(4, 6, 9))  # E: shape
    targets = {"age": torch.rand(4), "gender": torch.randint(0, 2, (4,)), "mood": torch.randint(0, 5, (4,))}
    return total_loss(outputs, targets, torch.tensor([1.0, 0.5, 0.5])).item()


# main: mt/net.py
# run: main()
