"""Low-rank adapters and prefix tuning for a frozen encoder-decoder attention stack."""

from __future__ import annotations

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F


class LoRA(nn.Module):
    """A frozen linear map with a trainable low-rank update."""

    def __init__(self, in_features: int, out_features: int, rank: int = 4, alpha: float = 8.0) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_features, in_features) / math.sqrt(in_features), requires_grad=False)
        self.lora_a = nn.Parameter(torch.randn(rank, in_features) / math.sqrt(in_features))
        self.lora_b = nn.Parameter(torch.zeros(out_features, rank))
        self.scale = alpha / rank

    def merged(self) -> Float[Tensor, "out_features in_features"]:
        return self.weight + self.scale * self.lora_b @ self.lora_a

    def forward(self, x: Float[Tensor, "*lead in_features"]) -> Float[Tensor, "*lead out_features"]:
        update = F.linear(F.linear(x, self.lora_a), self.lora_b)
        return F.linear(x, self.weight) + self.scale * update


class Prefix(nn.Module):
    def __init__(self, length: int, heads: int, head_dim: int) -> None:
        super().__init__()
        self.key = nn.Parameter(torch.randn(heads, length, head_dim))
        self.value = nn.Parameter(torch.randn(heads, length, head_dim))

    def forward(
        self, k: Float[Tensor, "b heads m head_dim"], v: Float[Tensor, "b heads m head_dim"]
    ) -> tuple[Float[Tensor, "b heads total head_dim"], Float[Tensor, "b heads total head_dim"]]:
        batch = k.size(0)
        key = self.key.unsqueeze(0).expand(batch, -1, -1, -1)
        value = self.value.unsqueeze(0).expand(batch, -1, -1, -1)
        return torch.cat([key, k], dim=2), torch.cat([value, v], dim=2)


class CrossAttention(nn.Module):
    def __init__(self, dim: int, context_dim: int, heads: int, prefix: int = 0) -> None:
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.q = LoRA(dim, dim)
        self.k = LoRA(context_dim, dim)
        self.v = LoRA(context_dim, dim)
        self.out = LoRA(dim, dim)
        self.prefix = Prefix(prefix, heads, self.head_dim) if prefix else None

    def heads_first(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b heads n head_dim"]:
        b, n, _ = x.shape
        return x.reshape(b, n, self.heads, self.head_dim).transpose(1, 2)

    def forward(
        self,
        x: Float[Tensor, "b n dim"],
        context: Float[Tensor, "b m context_dim"],
        mask: Bool[Tensor, "b m"] | None = None,
    ) -> Float[Tensor, "b n dim"]:
        b, n, dim = x.shape
        q = self.heads_first(self.q(x))
        k, v = self.heads_first(self.k(context)), self.heads_first(self.v(context))
        extra = 0
        if self.prefix is not None:
            k, v = self.prefix(k, v)
            extra = k.shape[2] - context.shape[1]
        scores = torch.einsum("bhnd,bhmd->bhnm", q, k) * self.head_dim**-0.5
        if mask is not None:
            full = F.pad(mask, (extra, 0), value=True)
            scores = scores.masked_fill(~full[:, None, None], float("-inf"))
        out = torch.einsum("bhnm,bhmd->bhnd", scores.softmax(-1), v)
        return self.out(out.transpose(1, 2).reshape(b, n, dim))


class Adapter(nn.Module):
    def __init__(self, dim: int, bottleneck: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.down = nn.Linear(dim, bottleneck)
        self.up = nn.Linear(bottleneck, dim)
        nn.init.zeros_(self.up.weight)

    def forward(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b n dim"]:
        return x + self.up(F.gelu(self.down(self.norm(x))))


class Captioner(nn.Module):
    def __init__(self, vocab: int, dim: int, vision_dim: int, heads: int, depth: int, prefix: int = 3) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.cross = nn.ModuleList([CrossAttention(dim, vision_dim, heads, prefix) for _ in range(depth)])
        self.adapters = nn.ModuleList([Adapter(dim, dim // 4) for _ in range(depth)])
        self.gate = nn.Parameter(torch.zeros(depth, dim))
        self.norm = nn.LayerNorm(dim)

    def forward(
        self, tokens: Int[Tensor, "b n"], patches: Float[Tensor, "b m vision_dim"], valid: Bool[Tensor, "b m"]
    ) -> Float[Tensor, "b n vocab"]:
        h = self.embed(tokens)
        for i, (cross, adapter) in enumerate(zip(self.cross, self.adapters)):
            h = h + self.gate[i].tanh() * cross(h, patches, valid)
            h = adapter(h)
        return self.norm(h) @ self.embed.weight.t()

    def caption_loss(
        self, tokens: Int[Tensor, "b n"], patches: Float[Tensor, "b m vision_dim"], valid: Bool[Tensor, "b m"], pad: int = 0
    ) -> tuple[Float[Tensor, ""], Float[Tensor, "b"]]:
        logits = self(tokens[:, :-1], patches, valid)
        target = tokens[:, 1:]
        nll = F.cross_entropy(logits.transpose(1, 2), target, reduction="none")
        keep = (target != pad).float()
        per_sample = (nll * keep).sum(dim=1) / keep.sum(dim=1).clamp(min=1)
        return per_sample.mean(), per_sample.detach()


def trainable_parameters(model: nn.Module) -> list[nn.Parameter]:
    return [p for p in model.parameters() if p.requires_grad]


def ema_update(average: dict[str, Tensor], model: nn.Module, decay: float) -> None:
    for name, p in model.named_parameters():
        average[name].mul_(decay).add_(p.detach(), alpha=1 - decay)


# run: m = Captioner(30, 16, 12, 4, 2); l, p = m.caption_loss(randint(0, 30, (3, 7)), randn(3, 5, 12), torch.rand(3, 5) > 0.2)
# run: l.backward(); LoRA(5, 6).merged(); LoRA(5, 6)(randn(2, 3, 5))
