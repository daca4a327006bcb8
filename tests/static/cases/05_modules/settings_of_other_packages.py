from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn


class Tied(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.embed = nn.Embedding(cfg.vocab, cfg.width)
        self.head = nn.Linear(self.cfg.width, self.cfg.vocab)  #! self.head = nn.Linear(self.cfg.vocab, self.cfg.width)

    def forward(self, ids: Int[Tensor, "b t"]):
        return self.head(self.embed(ids))  # E: shape


class Nested(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        model = cfg.model
        self.embed = nn.Embedding(model.vocab, model.width)
        self.head = nn.Linear(model.width, model.vocab)  #! self.head = nn.Linear(cfg.model.vocab, cfg.model.width)

    def forward(self, ids: Int[Tensor, "b t"]):
        return self.head(self.embed(ids))  # E: shape


class Items(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Embedding(cfg["vocab"], cfg["width"])
        self.heads, self.width = cfg["heads"], cfg["width"] // cfg["heads"]
        self.head = nn.Linear(self.heads * self.width, cfg["vocab"])  #! self.head = nn.Linear(cfg["vocab"], self.heads * self.width)

    def forward(self, ids: Int[Tensor, "b t"]):
        return self.head(self.embed(ids))  # E: shape


class Stated(nn.Module):
    def __init__(self, cfg: dict[str, Any]):
        super().__init__()
        self.embed = nn.Embedding(cfg["vocab"], cfg["width"])
        self.head = nn.Linear(cfg["width"], cfg["vocab"])  #! self.head = nn.Linear(cfg["vocab"], cfg["width"])

    def forward(self, ids: Int[Tensor, "b t"]):
        return self.head(self.embed(ids))  # E: shape


class Settings(dict[str, Any]):
    def __getattr__(self, name: str) -> Any:
        return self[name]


def run() -> None:
    cfg: Any = Settings(vocab=10, width=4, heads=2, model=Settings(vocab=10, width=4))
    for net in (Tied(cfg), Nested(cfg), Items(cfg), Stated(cfg)):
        net(torch.zeros(2, 3, dtype=torch.long))


# run: run()
