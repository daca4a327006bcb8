from dataclasses import dataclass, asdict
import torch
from torch import nn


@dataclass(frozen=True)
class ModelConfig:
    vocab: int = 128
    d_model: int = 64
    n_heads: int = 8
    n_kv_heads: int = 2
    n_layers: int = 2

    @property
    def head_dim(self) -> int:
        return self.d_model // self.n_heads


class GQA(nn.Module):
    def __init__(self, cfg: ModelConfig):
        super().__init__()
        self.cfg = cfg
        self.wq = nn.Linear(cfg.d_model, cfg.n_heads * cfg.head_dim, bias=False)
        self.wk = nn.Linear(cfg.d_model, cfg.n_kv_heads * cfg.head_dim, bias=False)
        self.wv = nn.Linear(cfg.d_model, cfg.n_kv_heads * cfg.head_dim, bias=False)
        self.wo = nn.Linear(cfg.n_heads * cfg.head_dim, cfg.d_model, bias=False)

    def forward(self, x):
        cfg = self.cfg
        b, s, _ = x.shape
        q = self.wq(x).view(b, s, cfg.n_heads, cfg.head_dim).transpose(1, 2)
        k = self.wk(x).view(b, s, cfg.n_kv_heads, cfg.head_dim).transpose(1, 2)
        v = self.wv(x).view(b, s, cfg.n_kv_heads, cfg.head_dim).transpose(1, 2)
        rep = cfg.n_heads // cfg.n_kv_heads
        k = k.repeat_interleave(rep, dim=1)
        v = v.repeat_interleave(rep, dim=1)  #! v = v.repeat_interleave(rep, dim=2)
        w = (q @ k.mT / cfg.head_dim**0.5).softmax(-1)
        out = (w @ v).transpose(1, 2).reshape(b, s, -1)
        return self.wo(out)


class LM(nn.Module):
    def __init__(self, **kw):
        super().__init__()
        cfg = ModelConfig(**kw)
        self.emb = nn.Embedding(cfg.vocab, cfg.d_model)
        self.blocks = nn.ModuleList(GQA(cfg) for _ in range(cfg.n_layers))
        self.head = nn.Linear(cfg.d_model, cfg.vocab)

    def forward(self, ids):
        x = self.emb(ids)
        for b in self.blocks:
            x = x + b(x)
        return self.head(x)


def main():
    LM(n_kv_heads=4)(torch.randint(0, 128, (2, 10)))  # E: shape


# run: main()
