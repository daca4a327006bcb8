"""Image classifiers: ViT and ResNet-50."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class Encoder(nn.Module):
    """A pre-norm encoder block (Dosovitskiy et al. 2021)."""

    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.heads, self.head_dim = heads, d_model // heads
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.qkv, self.out = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)
        self.up, self.down = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)

    def forward(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq d_model"]:
        batch, seq, _ = x.shape
        heads = self.qkv(self.norm1(x)).view(batch, seq, 3, self.heads, self.head_dim)
        q, k, v = heads.permute(2, 0, 3, 1, 4).unbind(0)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        out: Tensor = x + self.down(F.gelu(self.up(self.norm2(x))))
        return out


class ViT(nn.Module):
    """Patches, a class token, learned positions for 224 x 224 images, a linear head."""

    def __init__(
        self, layers: int, d_model: int, heads: int, patch: int, *, side: int = 224, classes: int = 1000
    ) -> None:
        super().__init__()
        self.patch = nn.Conv2d(3, d_model, patch, stride=patch)
        self.token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.positions = nn.Parameter(torch.zeros(1, (side // patch) ** 2 + 1, d_model))
        self.blocks = nn.ModuleList(Encoder(d_model, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(d_model), nn.Linear(d_model, classes)

    def forward(self, image: Float[Tensor, "batch 3 224 224"]) -> Float[Tensor, "batch classes"]:
        x = self.patch(image).flatten(2).transpose(1, 2)
        x = torch.cat((self.token.expand(x.shape[0], -1, -1), x), 1) + self.positions
        for block in self.blocks:
            x = block(x)
        logits: Tensor = self.head(self.norm(x)[:, 0])
        return logits


class Bottleneck(nn.Module):
    """1x1, 3x3, 1x1 with a shortcut; the stride sits on the 3x3, as in torchvision."""

    def __init__(self, c_in: int, width: int, stride: int) -> None:
        super().__init__()
        c_out = 4 * width
        self.conv1, self.norm1 = nn.Conv2d(c_in, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride=stride, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)
        self.conv3, self.norm3 = nn.Conv2d(width, c_out, 1, bias=False), nn.BatchNorm2d(c_out)
        self.short = nn.Sequential(
            nn.Conv2d(c_in, c_out, 1, stride=stride, bias=False), nn.BatchNorm2d(c_out)
        ) if stride != 1 or c_in != c_out else nn.Identity()  # fmt: skip

    def forward(self, x: Float[Tensor, "batch c_in h w"]) -> Float[Tensor, "batch c_out h2 w2"]:
        h = F.relu(self.norm1(self.conv1(x)))
        h = F.relu(self.norm2(self.conv2(h)))
        return F.relu(self.norm3(self.conv3(h)) + self.short(x))


class ResNet50(nn.Module):
    """Stages of 3, 4, 6 and 3 bottlenecks (He et al. 2016)."""

    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
            nn.MaxPool2d(3, stride=2, padding=1),
        )  # fmt: skip
        blocks, c_in = [], 64
        for stage, depth in enumerate((3, 4, 6, 3)):
            for index in range(depth):
                width = 64 * 2**stage
                blocks.append(Bottleneck(c_in, width, 2 if stage and not index else 1))
                c_in = 4 * width
        self.blocks, self.head = nn.Sequential(*blocks), nn.Linear(c_in, classes)

    def forward(self, image: Float[Tensor, "batch 3 height width"]) -> Float[Tensor, "batch classes"]:
        logits: Tensor = self.head(self.blocks(self.stem(image)).mean((2, 3)))
        return logits
