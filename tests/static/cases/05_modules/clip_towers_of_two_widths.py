from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class TextCfg:
    context: int = 12
    vocab: int = 60
    width: int = 24
    heads: int = 3


class LayerNorm(nn.LayerNorm):
    def forward(self, x: torch.Tensor):
        return F.layer_norm(x.float(), self.normalized_shape, self.weight, self.bias, self.eps).to(x.dtype)


class Block(nn.Module):
    def __init__(self, width: int, heads: int, norm: Callable = LayerNorm):
        super().__init__()
        self.first, self.second = norm(width), norm(width)
        self.attention = nn.MultiheadAttention(width, heads)
        self.mlp = nn.Sequential(
            OrderedDict([("up", nn.Linear(width, 4 * width)), ("act", nn.GELU()), ("down", nn.Linear(4 * width, width))])
        )

    def forward(self, x, mask=None):
        h = self.first(x)
        x = x + self.attention(h, h, h, need_weights=False, attn_mask=mask)[0]
        return x + self.mlp(self.second(x))


class Text(nn.Module):
    def __init__(self, cfg: TextCfg, joint: int):
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab, cfg.width)
        self.block = Block(cfg.width, cfg.heads)
        self.last = LayerNorm(cfg.width)
        self.project = nn.Parameter(torch.randn(cfg.width, joint))  #! self.project = nn.Parameter(torch.randn(cfg.width, cfg.width))
        self.register_buffer("mask", torch.full((cfg.context, cfg.context), -torch.inf).triu_(1), persistent=False)

    def forward(self, text):
        x = self.block(self.embed(text).permute(1, 0, 2), self.mask).permute(1, 0, 2)
        return self.last(x)[torch.arange(x.shape[0]), text.argmax(dim=-1)] @ self.project


def main():
    text = Text(TextCfg(), 16)(torch.randint(0, 60, (5, 12)))
    images = torch.randn(5, 16)
    logits = F.normalize(images, dim=-1) @ F.normalize(text, dim=-1).t()  # E: shape
    return F.cross_entropy(logits, torch.arange(5))


# run: main()
