"""Models to account for, small enough to run, each with the FLOPs its layer equations need.

``forward`` and ``training`` are written from the equations, two per multiply-add, layer by layer; they
share no code with what they judge.  ``training`` is forward plus backward: every product costs as much
again for its weight, and as much again for its input where something below needs a gradient.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

Sizes = dict[str, int]


@dataclass(frozen=True)
class Entry:
    """A model: its class, the sizes of a run, and its FLOPs."""

    build: Callable[..., nn.Module]
    sizes: Sizes
    forward: Callable[..., int]
    training: Callable[..., int]

    def arguments(self) -> Sizes:
        """The sizes the model is built from."""
        return {k: v for k, v in self.sizes.items() if k in inspect.signature(self.build).parameters}

    def model(self) -> nn.Module:
        """The model at the entry's sizes."""
        return self.build(**self.arguments())

    def inputs(self) -> Sizes:
        """The sizes that are not the model's own."""
        return {k: v for k, v in self.sizes.items() if k not in self.arguments()}


class MLP(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.up, self.mid, self.down = (
            nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_ff), nn.Linear(d_ff, d_model),
        )  # fmt: skip

    def forward(self, x: Float[Tensor, "batch d_model"]) -> Float[Tensor, "batch d_model"]:
        return self.down(F.gelu(self.mid(F.relu(self.up(x)))))


def mlp_forward(batch: int, d_model: int, d_ff: int) -> int:
    return 2 * batch * (d_model * d_ff + d_ff * d_ff + d_ff * d_model)


def mlp_training(batch: int, d_model: int, d_ff: int) -> int:
    return 3 * mlp_forward(batch, d_model, d_ff) - 2 * batch * d_model * d_ff  # the data needs no gradient


class DeepLinear(nn.Module):
    """``x @ w`` with plain parameters, as in a first lecture on resource accounting."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.weights = nn.ParameterList(nn.Parameter(torch.randn(d_model, d_model)) for _ in range(2))
        self.final = nn.Parameter(torch.randn(d_model, 1))

    def forward(self, x: Float[Tensor, "batch d_model"]) -> Float[Tensor, "batch"]:
        for weight in self.weights:
            x = x @ weight
        return (x @ self.final).squeeze(-1)


def deep_forward(batch: int, d_model: int) -> int:
    return 2 * batch * d_model * d_model * 2 + 2 * batch * d_model


def deep_training(batch: int, d_model: int) -> int:
    return 3 * deep_forward(batch, d_model) - 2 * batch * d_model * d_model


class Block(nn.Module):
    """Pre-norm attention and MLP, as in GPT-2."""

    def __init__(self, heads: int, head_dim: int, causal: bool = True) -> None:
        super().__init__()
        d_model = heads * head_dim
        self.heads, self.head_dim, self.causal = heads, head_dim, causal
        self.ln1, self.ln2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.qkv, self.out = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)
        self.up, self.down = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        batch, seq, d_model = x.shape
        q, k, v = (
            self.qkv(self.ln1(x))
            .view(batch, seq, 3, self.heads, self.head_dim)
            .permute(2, 0, 3, 1, 4)
            .unbind(0)
        )
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, seq, d_model))
        return x + self.down(F.gelu(self.up(self.ln2(x))))


class GPT(nn.Module):
    def __init__(self, vocab: int, heads: int, head_dim: int, context: int = 128, layers: int = 3) -> None:
        super().__init__()
        d_model = heads * head_dim
        self.tokens, self.positions = nn.Embedding(vocab, d_model), nn.Embedding(context, d_model)
        self.blocks = nn.ModuleList(Block(heads, head_dim) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(d_model), nn.Linear(d_model, vocab, bias=False)

    def forward(self, tokens: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq vocab"]:
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def gpt_forward(batch: int, seq: int, vocab: int, heads: int, head_dim: int) -> int:
    d = heads * head_dim
    block = 2 * batch * seq * (3 * d * d + d * d + 8 * d * d) + 4 * batch * heads * seq * seq * head_dim
    return 3 * block + 2 * batch * seq * d * vocab


def gpt_training(**sizes: int) -> int:
    return 3 * gpt_forward(**sizes)  # below the first product lie embeddings, which need gradients


class RMSNorm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6).to(x.dtype) * self.weight


def rotate(x: Tensor) -> Tensor:
    """Rotary embedding with angles computed on the spot."""
    seq, dim = x.shape[-2], x.shape[-1]
    frequency = 10000.0 ** (-torch.arange(0, dim, 2, device=x.device, dtype=torch.float32) / dim)
    angle = torch.arange(seq, device=x.device, dtype=torch.float32)[:, None] * frequency
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)


class LlamaBlock(nn.Module):
    """Grouped queries, rotary positions, SwiGLU."""

    def __init__(self, kv_heads: int, groups: int, head_dim: int, d_ff: int) -> None:
        super().__init__()
        self.kv, self.queries, self.dim = kv_heads, kv_heads * groups, head_dim
        d_model = self.queries * head_dim
        self.n1, self.n2 = RMSNorm(d_model), RMSNorm(d_model)
        self.q = nn.Linear(d_model, d_model, bias=False)
        self.k = nn.Linear(d_model, kv_heads * head_dim, bias=False)
        self.v = nn.Linear(d_model, kv_heads * head_dim, bias=False)
        self.o = nn.Linear(d_model, d_model, bias=False)
        self.gate, self.up = nn.Linear(d_model, d_ff, bias=False), nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, seq, d_model = x.shape
        h = self.n1(x)
        q = rotate(self.q(h).view(batch, seq, self.queries, self.dim).transpose(1, 2))
        k = rotate(self.k(h).view(batch, seq, self.kv, self.dim).transpose(1, 2))
        v = self.v(h).view(batch, seq, self.kv, self.dim).transpose(1, 2)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + self.o(mixed.transpose(1, 2).reshape(batch, seq, d_model))
        h = self.n2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Llama(nn.Module):
    def __init__(self, vocab: int, kv_heads: int, groups: int, head_dim: int, d_ff: int) -> None:
        super().__init__()
        d_model = kv_heads * groups * head_dim
        self.tokens = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList(LlamaBlock(kv_heads, groups, head_dim, d_ff) for _ in range(2))
        self.norm, self.head = RMSNorm(d_model), nn.Linear(d_model, vocab, bias=False)

    def forward(self, tokens: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq vocab"]:
        x = self.tokens(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def llama_forward(
    *, batch: int, seq: int, vocab: int, kv_heads: int, groups: int, head_dim: int, d_ff: int
) -> int:
    queries = kv_heads * groups
    d = queries * head_dim
    weights = 2 * d * d + 2 * d * kv_heads * head_dim + 3 * d * d_ff
    block = 2 * batch * seq * weights + 4 * batch * queries * seq * seq * head_dim
    return 2 * block + 2 * batch * seq * d * vocab


def llama_training(**sizes: int) -> int:
    return 3 * llama_forward(**sizes)


class ViT(nn.Module):
    """Patches by a strided convolution, a class token, learned positions."""

    def __init__(self, heads: int, head_dim: int, grid: int, classes: int) -> None:
        super().__init__()
        d_model = heads * head_dim
        self.patch = nn.Conv2d(3, d_model, 4, stride=4)
        self.token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.position = nn.Parameter(torch.zeros(1, grid * grid + 1, d_model))
        self.blocks = nn.ModuleList(Block(heads, head_dim, causal=False) for _ in range(2))
        self.norm, self.head = nn.LayerNorm(d_model), nn.Linear(d_model, classes)

    def forward(self, image: Float[Tensor, "batch 3 4*grid 4*grid"]) -> Float[Tensor, "batch classes"]:
        x = self.patch(image).flatten(2).transpose(1, 2)
        x = torch.cat((self.token.expand(x.shape[0], -1, -1), x), 1) + self.position
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


def vit_forward(batch: int, grid: int, heads: int, head_dim: int, classes: int) -> int:
    d, seq = heads * head_dim, grid * grid + 1
    patch = 2 * batch * grid * grid * 3 * 16 * d
    block = 2 * batch * seq * 12 * d * d + 4 * batch * heads * seq * seq * head_dim
    return patch + 2 * block + 2 * batch * d * classes


def vit_training(batch: int, grid: int, heads: int, head_dim: int, classes: int) -> int:
    d = heads * head_dim
    return 3 * vit_forward(batch, grid, heads, head_dim, classes) - 2 * batch * grid * grid * 3 * 16 * d


class GroupedResidual(nn.Module):
    """A bottleneck with a grouped convolution, as in ResNeXt."""

    def __init__(self, width: int, groups: int) -> None:
        super().__init__()
        self.reduce = nn.Conv2d(width, width, 1, bias=False)
        self.conv = nn.Conv2d(width, width, 3, padding=1, groups=groups, bias=False)
        self.expand = nn.Conv2d(width, width, 1, bias=False)
        self.n1, self.n2, self.n3 = (nn.BatchNorm2d(width) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu(self.n1(self.reduce(x)))
        h = F.relu(self.n2(self.conv(h)))
        return F.relu(x + self.n3(self.expand(h)))


class ResNet(nn.Module):
    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 4 * width, 3, stride=2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(4 * width)
        self.blocks = nn.Sequential(GroupedResidual(4 * width, 4), GroupedResidual(4 * width, 4))
        self.head = nn.Linear(4 * width, classes)

    def forward(self, image: Float[Tensor, "batch 3 2*side 2*side"]) -> Float[Tensor, "batch classes"]:
        x = F.max_pool2d(F.relu(self.norm(self.stem(image))), 1)
        return self.head(self.blocks(x).mean((2, 3)))


def resnet_forward(batch: int, side: int, width: int, classes: int) -> int:
    c, pixels = 4 * width, batch * side * side
    stem = 2 * pixels * 9 * 3 * c
    block = 2 * pixels * (c * c + 9 * c * c // 4 + c * c)
    return stem + 2 * block + 2 * batch * c * classes


def resnet_training(batch: int, side: int, width: int, classes: int) -> int:
    return 3 * resnet_forward(batch, side, width, classes) - 2 * batch * side * side * 9 * 3 * 4 * width


class ConvNeXtBlock(nn.Module):
    """Depthwise 7x7, then two products on the channels."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm, self.scale = nn.LayerNorm(width), nn.Parameter(torch.full((width,), 1e-6))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        h = self.depthwise(x).permute(0, 2, 3, 1)
        h = self.down(F.gelu(self.up(self.norm(h)))) * self.scale
        return x + h.permute(0, 3, 1, 2)


class ConvNeXt(nn.Module):
    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, width, 4, stride=4)
        self.first, self.second = ConvNeXtBlock(width), ConvNeXtBlock(2 * width)
        self.down = nn.Conv2d(width, 2 * width, 2, stride=2)
        self.head = nn.Linear(2 * width, classes)

    def forward(self, image: Float[Tensor, "batch 3 8*side 8*side"]) -> Float[Tensor, "batch classes"]:
        x = self.second(self.down(self.first(self.stem(image))))
        return self.head(x.mean((2, 3)))


def convnext_forward(batch: int, side: int, width: int, classes: int) -> int:
    large, small = batch * 4 * side * side, batch * side * side
    stem, down = 2 * large * 16 * 3 * width, 2 * small * 4 * width * 2 * width

    def block(pixels: int, c: int) -> int:
        return 2 * pixels * (49 * c + 8 * c * c)

    return stem + block(large, width) + down + block(small, 2 * width) + 2 * batch * 2 * width * classes


def convnext_training(batch: int, side: int, width: int, classes: int) -> int:
    return 3 * convnext_forward(batch, side, width, classes) - 2 * batch * 4 * side * side * 48 * width


class Recurrent(nn.Module):
    """Two layers of an LSTM or a GRU and a head on every step."""

    kind: type[nn.LSTM] | type[nn.GRU] = nn.LSTM

    def __init__(self, d_in: int, hidden: int) -> None:
        super().__init__()
        self.rnn, self.head = self.kind(d_in, hidden, 2, batch_first=True), nn.Linear(hidden, d_in)

    def forward(self, x: Float[Tensor, "batch 6 d_in"]) -> Float[Tensor, "batch 6 d_in"]:
        return self.head(self.rnn(x)[0])


class RecurrentGRU(Recurrent):
    kind = nn.GRU


def recurrent_forward(gates: int, batch: int, d_in: int, hidden: int) -> int:
    steps = batch * 6
    layers = 2 * steps * gates * hidden * ((d_in + hidden) + (hidden + hidden))
    return layers + 2 * steps * hidden * d_in


def lstm_training(batch: int, d_in: int, hidden: int) -> int:
    # one fused operator computes every gradient of a layer, the data's and the first state's too
    return 3 * recurrent_forward(4, batch, d_in, hidden)


def gru_training(batch: int, d_in: int, hidden: int) -> int:
    # step by step: the data needs no gradient, and neither does the state before the first step
    first_states = 2 * 2 * batch * 3 * hidden * hidden
    return 3 * recurrent_forward(3, batch, d_in, hidden) - 2 * batch * 6 * 3 * hidden * d_in - first_states
