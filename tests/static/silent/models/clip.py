"""Two towers and a symmetric contrastive loss."""

from collections import OrderedDict
from typing import Tuple

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


class QuickGELU(nn.Module):
    def forward(self, x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        return x * torch.sigmoid(1.702 * x)


class ResidualAttentionBlock(nn.Module):
    def __init__(self, d_model: int, n_head: int, attn_mask: Float[Tensor, "n n"] | None = None):
        super().__init__()
        self.attn = nn.MultiheadAttention(d_model, n_head)
        self.ln_1 = nn.LayerNorm(d_model)
        self.mlp = nn.Sequential(
            OrderedDict(
                [
                    ("c_fc", nn.Linear(d_model, d_model * 4)),
                    ("gelu", QuickGELU()),
                    ("c_proj", nn.Linear(d_model * 4, d_model)),
                ]
            )
        )
        self.ln_2 = nn.LayerNorm(d_model)
        self.attn_mask = attn_mask

    def attention(self, x: Float[Tensor, "n b d_model"]) -> Float[Tensor, "n b d_model"]:
        mask = self.attn_mask.to(dtype=x.dtype, device=x.device) if self.attn_mask is not None else None
        return self.attn(x, x, x, need_weights=False, attn_mask=mask)[0]

    def forward(self, x: Float[Tensor, "n b d_model"]) -> Float[Tensor, "n b d_model"]:
        x = x + self.attention(self.ln_1(x))
        x = x + self.mlp(self.ln_2(x))
        return x


class Transformer(nn.Module):
    def __init__(self, width: int, layers: int, heads: int, attn_mask: Float[Tensor, "n n"] | None = None):
        super().__init__()
        self.width = width
        self.resblocks = nn.Sequential(*[ResidualAttentionBlock(width, heads, attn_mask) for _ in range(layers)])

    def forward(self, x: Float[Tensor, "n b width"]) -> Float[Tensor, "n b width"]:
        return self.resblocks(x)


class VisualTower(nn.Module):
    def __init__(self, resolution: int, patch: int, width: int, layers: int, heads: int, output_dim: int):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, kernel_size=patch, stride=patch, bias=False)
        scale = width**-0.5
        self.class_embedding = nn.Parameter(scale * torch.randn(width))
        self.positional_embedding = nn.Parameter(scale * torch.randn((resolution // patch) ** 2 + 1, width))
        self.ln_pre = nn.LayerNorm(width)
        self.transformer = Transformer(width, layers, heads)
        self.ln_post = nn.LayerNorm(width)
        self.proj = nn.Parameter(scale * torch.randn(width, output_dim))

    def forward(self, x: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b output_dim"]:
        x = self.conv1(x)
        x = x.reshape(x.shape[0], x.shape[1], -1)
        x = x.permute(0, 2, 1)
        cls = self.class_embedding + torch.zeros(x.shape[0], 1, x.shape[-1], dtype=x.dtype)
        x = torch.cat([cls, x], dim=1)
        x = x + self.positional_embedding
        x = self.ln_pre(x)
        x = x.permute(1, 0, 2)
        x = self.transformer(x)
        x = x.permute(1, 0, 2)
        x = self.ln_post(x[:, 0, :])
        return x @ self.proj


class CLIP(nn.Module):
    def __init__(self, embed_dim: int, resolution: int, patch: int, width: int, context: int, vocab: int):
        super().__init__()
        self.context_length = context
        self.visual = VisualTower(resolution, patch, width, 1, 2, embed_dim)
        self.transformer = Transformer(width, 1, 2, attn_mask=self.build_attention_mask(context))
        self.token_embedding = nn.Embedding(vocab, width)
        self.positional_embedding = nn.Parameter(torch.empty(context, width))
        self.ln_final = nn.LayerNorm(width)
        self.text_projection = nn.Parameter(torch.empty(width, embed_dim))
        self.logit_scale = nn.Parameter(torch.ones([]) * np.log(1 / 0.07))
        nn.init.normal_(self.positional_embedding, std=0.01)
        nn.init.normal_(self.text_projection, std=width**-0.5)

    @staticmethod
    def build_attention_mask(context: int) -> Float[Tensor, "{context} {context}"]:
        mask = torch.empty(context, context)
        mask.fill_(float("-inf"))
        mask.triu_(1)
        return mask

    def encode_image(self, image: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b embed_dim"]:
        return self.visual(image)

    def encode_text(self, text: Int[Tensor, "b context"]) -> Float[Tensor, "b embed_dim"]:
        x = self.token_embedding(text)
        x = x + self.positional_embedding
        x = x.permute(1, 0, 2)
        x = self.transformer(x)
        x = x.permute(1, 0, 2)
        x = self.ln_final(x)
        x = x[torch.arange(x.shape[0]), text.argmax(dim=-1)] @ self.text_projection
        return x

    def forward(
        self, image: Float[Tensor, "b 3 h w"], text: Int[Tensor, "c context"]
    ) -> Tuple[Float[Tensor, "b c"], Float[Tensor, "c b"]]:
        image_features = self.encode_image(image)
        text_features = self.encode_text(text)
        image_features = image_features / image_features.norm(dim=1, keepdim=True)
        text_features = text_features / text_features.norm(dim=1, keepdim=True)
        logit_scale = self.logit_scale.exp()
        logits_per_image = logit_scale * image_features @ text_features.t()
        logits_per_text = logits_per_image.t()
        return logits_per_image, logits_per_text


def contrastive_loss(logits: Float[Tensor, "n n"]) -> Float[Tensor, ""]:
    labels = torch.arange(logits.shape[0], device=logits.device)
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2


def zero_shot(
    model: CLIP, image: Float[Tensor, "b 3 h w"], prompts: Int[Tensor, "classes context"]
) -> Int[Tensor, "b"]:
    with torch.no_grad():
        logits, _ = model(image, prompts)
    return logits.softmax(dim=-1).argmax(dim=-1)


# run: m = CLIP(11, 12, 4, 6, 7, 23)
# run: a, b = m(randn(3, 3, 12, 12), randint(0, 23, (3, 7))); contrastive_loss(a)
# run: zero_shot(m, randn(3, 3, 12, 12), randint(0, 23, (5, 7)))
