"""Image and text encoders trained with a pairwise sigmoid or a softmax contrastive loss."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from einops.layers.torch import Rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

ImageBatch = Float[Tensor, "batch 3 height width"]
TokenBatch = Int[Tensor, "batch length"]
Embedding = Float[Tensor, "batch embed_dim"]


@dataclass
class TowerOutput:
    pooled: Float[Tensor, "batch embed_dim"]
    tokens: Float[Tensor, "batch n width"]


@dataclass
class ContrastiveOutput:
    image: Float[Tensor, "batch embed_dim"]
    text: Float[Tensor, "batch embed_dim"]
    logits: Float[Tensor, "batch batch"]
    loss: Float[Tensor, ""]


class Mlp(nn.Module):
    def __init__(self, width: int, ratio: int = 4, dropout: float = 0.0):
        super().__init__()
        self.fc1 = nn.Linear(width, width * ratio)
        self.fc2 = nn.Linear(width * ratio, width)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Float[Tensor, "b n width"]) -> Float[Tensor, "b n width"]:
        return self.drop(self.fc2(F.gelu(self.fc1(x))))


class EncoderLayer(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.ln1 = nn.LayerNorm(width)
        self.attn = nn.MultiheadAttention(width, heads, batch_first=True)
        self.ln2 = nn.LayerNorm(width)
        self.mlp = Mlp(width)

    def forward(self, x: Float[Tensor, "b n width"], padding: Bool[Tensor, "b n"] | None = None) -> Float[Tensor, "b n width"]:
        h = self.ln1(x)
        attended, _ = self.attn(h, h, h, key_padding_mask=padding, need_weights=False)
        x = x + attended
        return x + self.mlp(self.ln2(x))


class AttentionPool(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.probe = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.attn = nn.MultiheadAttention(width, heads, batch_first=True)
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Float[Tensor, "b n width"]) -> Float[Tensor, "b width"]:
        probe = self.probe.expand(x.shape[0], -1, -1)
        pooled = self.attn(probe, x, x, need_weights=False)[0]
        return self.norm(pooled).squeeze(1)


class VisionTower(nn.Module):
    def __init__(self, image_size: int, patch: int, width: int, heads: int, depth: int, embed_dim: int):
        super().__init__()
        n_patches = (image_size // patch) ** 2
        self.to_patches = nn.Sequential(
            Rearrange("b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=patch, p2=patch),
            nn.Linear(3 * patch * patch, width),
        )
        self.pos = nn.Parameter(torch.randn(1, n_patches, width) * 0.02)
        self.layers = nn.ModuleList([EncoderLayer(width, heads) for _ in range(depth)])
        self.pool = AttentionPool(width, heads)
        self.proj = nn.Linear(width, embed_dim, bias=False)

    def forward(self, images: ImageBatch) -> TowerOutput:
        x = self.to_patches(images) + self.pos
        for layer in self.layers:
            x = layer(x)
        return TowerOutput(pooled=self.proj(self.pool(x)), tokens=x)


class TextTower(nn.Module):
    def __init__(self, vocab: int, max_len: int, width: int, heads: int, depth: int, embed_dim: int, pad_id: int = 0):
        super().__init__()
        self.pad_id = pad_id
        self.embed = nn.Embedding(vocab, width, padding_idx=pad_id)
        self.pos = nn.Embedding(max_len, width)
        self.layers = nn.ModuleList([EncoderLayer(width, heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(width)
        self.proj = nn.Parameter(torch.empty(width, embed_dim).normal_(std=width**-0.5))

    def forward(self, tokens: TokenBatch) -> TowerOutput:
        padding = tokens == self.pad_id
        positions = torch.arange(tokens.size(1), device=tokens.device)
        x = self.embed(tokens) + self.pos(positions)
        for layer in self.layers:
            x = layer(x, padding)
        x = self.norm(x)
        last = (~padding).sum(dim=1) - 1
        pooled = x[torch.arange(tokens.size(0)), last] @ self.proj
        return TowerOutput(pooled=pooled, tokens=x)


class DualEncoder(nn.Module):
    def __init__(self, vision: VisionTower, text: TextTower, sigmoid: bool = True):
        super().__init__()
        self.vision, self.text = vision, text
        self.sigmoid = sigmoid
        self.log_scale = nn.Parameter(torch.tensor(2.0))
        self.bias = nn.Parameter(torch.tensor(-10.0))

    def forward(self, images: ImageBatch, tokens: TokenBatch) -> ContrastiveOutput:
        image = F.normalize(self.vision(images).pooled, dim=-1)
        text = F.normalize(self.text(tokens).pooled, dim=-1)
        logits = self.log_scale.exp() * image @ text.T + self.bias
        loss = sigmoid_loss(logits) if self.sigmoid else softmax_loss(logits)
        return ContrastiveOutput(image, text, logits, loss)


def sigmoid_loss(logits: Float[Tensor, "batch batch"]) -> Float[Tensor, ""]:
    n = logits.shape[0]
    labels = 2 * torch.eye(n, device=logits.device) - 1
    return -F.logsigmoid(labels * logits).sum() / n


def softmax_loss(logits: Float[Tensor, "batch batch"]) -> Float[Tensor, ""]:
    target = torch.arange(logits.shape[0], device=logits.device)
    return (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2


@torch.no_grad()
def zero_shot(model: DualEncoder, images: ImageBatch, prompts: Int[Tensor, "classes templates length"]) -> Float[Tensor, "batch classes"]:
    classes, templates, length = prompts.shape
    text = model.text(prompts.reshape(classes * templates, length)).pooled
    text = F.normalize(text, dim=-1).view(classes, templates, -1).mean(dim=1)
    text = text / text.norm(dim=-1, keepdim=True)
    image = F.normalize(model.vision(images).pooled, dim=-1)
    return (image @ text.T).softmax(dim=-1)


def recall_at_k(similarity: Float[Tensor, "n n"], k: int) -> Float[Tensor, ""]:
    top = similarity.topk(k, dim=1).indices
    hits = (top == torch.arange(len(similarity))[:, None]).any(dim=1)
    return hits.float().mean()


# run: m = DualEncoder(VisionTower(16, 4, 24, 3, 2, 20), TextTower(30, 12, 24, 3, 2, 20))
# run: o = m(randn(5, 3, 16, 16), randint(1, 30, (5, 9))); o.loss.backward(); softmax_loss(o.logits)
# run: zero_shot(m, randn(5, 3, 16, 16), randint(1, 30, (4, 2, 9))); recall_at_k(o.logits, 2)
