import torch
from torch import nn

from pool_app.config import ModelConfig, Pool
from pool_app.layers import Block


class Encoder(nn.Module):
    def __init__(self, cfg: ModelConfig):
        super().__init__()
        self.cfg = cfg
        self.tok = nn.Embedding(cfg.vocab, cfg.block.dim)
        self.pos = nn.Embedding(cfg.max_len, cfg.block.dim)
        self.blocks = nn.ModuleList([Block(cfg.block) for _ in range(cfg.depth)])

    def forward(self, ids, mask=None):
        x = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x, mask)
        return x


class Classifier(nn.Module):
    def __init__(self, cfg: ModelConfig):
        super().__init__()
        self.encoder = Encoder(cfg)
        self.head = nn.Linear(cfg.block.dim, cfg.n_labels)
        self.pool = cfg.pool

    def pooled(self, x, mask):
        if self.pool is Pool.CLS:
            return x[:, 0]
        if self.pool is Pool.MAX:
            return x.masked_fill(~mask[..., None], -1e9).amax(1)
        weights = mask.float()
        return (x * weights[..., None]).sum(1) / weights.sum(1, keepdim=True)  #! return (x * weights).sum(1) / weights.sum(1, keepdim=True)

    def forward(self, ids, mask):
        return self.head(self.pooled(self.encoder(ids, mask), mask))
