from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


@dataclass
class Config:
    vocab: int = 100
    d_model: int = 32
    n_layers: int = 2
    d_ff: int = 64


class MLP(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.fc1 = nn.Linear(cfg.d_model, cfg.d_ff)
        self.fc2 = nn.Linear(cfg.d_ff, cfg.d_model)  #! self.fc2 = nn.Linear(cfg.d_model, cfg.d_ff)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))  # E: shape


class LM(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab, cfg.d_model)
        self.layers = nn.ModuleList(MLP(cfg) for _ in range(cfg.n_layers))
        self.unembed = nn.Linear(cfg.d_model, cfg.vocab, bias=False)

    def forward(self, ids: Int[Tensor, "b s"]) -> Float[Tensor, "b s v"]:
        h = self.embed(ids)
        for layer in self.layers:
            h = h + layer(h)
        return self.unembed(h)


def main():
    model = LM(Config())
    ids = torch.randint(0, 100, (4, 16))
    logits = model(ids)
    return logits


# run: main()
