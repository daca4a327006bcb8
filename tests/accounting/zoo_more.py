"""The second half of the zoo: routing, cross-attention, scans, transposed convolutions, adapters."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from .zoo import (
    GPT,
    MLP,
    Block,
    ConvNeXt,
    DeepLinear,
    Entry,
    Llama,
    Recurrent,
    RecurrentGRU,
    ResNet,
    ViT,
    convnext_forward,
    convnext_training,
    deep_forward,
    deep_training,
    gpt_forward,
    gpt_training,
    gru_training,
    llama_forward,
    llama_training,
    lstm_training,
    mlp_forward,
    mlp_training,
    recurrent_forward,
    resnet_forward,
    resnet_training,
    vit_forward,
    vit_training,
)  # fmt: skip


class MoE(nn.Module):
    """Top-k routing with a capacity: tokens are dispatched and combined by one-hot products."""

    def __init__(self, experts: int, d_model: int, d_ff: int, capacity: int) -> None:
        super().__init__()
        self.capacity = capacity
        self.inner = nn.Linear(d_model, d_model)
        self.router = nn.Linear(d_model, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, d_model, d_ff) * 0.02)
        self.down = nn.Parameter(torch.randn(experts, d_ff, d_model) * 0.02)

    def forward(self, x: Float[Tensor, "tokens d_model"]) -> Float[Tensor, "tokens d_model"]:
        x = self.inner(x)
        gates, chosen = self.router(x).softmax(-1).topk(2, -1)
        onehot = F.one_hot(chosen, self.router.out_features).to(x.dtype)  # tokens, 2, experts
        place = (onehot.flatten(0, 1).cumsum(0) - 1).view_as(onehot)
        slot = F.one_hot((place * onehot).sum(-1).long().clamp(0, self.capacity - 1), self.capacity).to(
            x.dtype
        )
        combine = (onehot.unsqueeze(-1) * slot.unsqueeze(-2) * gates[..., None, None]).sum(1)
        dispatch = (combine > 0).to(x.dtype)  # tokens, experts, capacity
        inside = torch.einsum("nec,nd->ecd", dispatch, x)
        hidden = F.silu(torch.bmm(inside, self.up))
        return torch.einsum("nec,ecd->nd", combine, torch.bmm(hidden, self.down))


def moe_forward(tokens: int, experts: int, d_model: int, d_ff: int, capacity: int) -> int:
    route = 2 * tokens * d_model * experts
    carry = 2 * tokens * experts * capacity * d_model  # dispatch, and the same to combine
    return 2 * tokens * d_model**2 + route + 2 * carry + 4 * experts * capacity * d_model * d_ff


def moe_training(tokens: int, experts: int, d_model: int, d_ff: int, capacity: int) -> int:
    dispatch = 2 * tokens * experts * capacity * d_model  # a comparison made it: no gradient
    inner = 2 * tokens * d_model**2
    return 3 * moe_forward(tokens, experts, d_model, d_ff, capacity) - dispatch - inner


class CrossBlock(nn.Module):
    """Self-attention, attention to an encoder's output, MLP."""

    def __init__(self, heads: int, head_dim: int) -> None:
        super().__init__()
        width = heads * head_dim
        self.inner = Block(heads, head_dim)
        self.heads, self.dim = heads, head_dim
        self.q, self.kv, self.out = (
            nn.Linear(width, width),
            nn.Linear(width, 2 * width),
            nn.Linear(width, width),
        )

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:
        x = self.inner(x)
        batch, seq, width = x.shape
        q = self.q(x).view(batch, seq, self.heads, self.dim).transpose(1, 2)
        k, v = self.kv(memory).view(batch, memory.shape[1], 2, self.heads, self.dim).permute(2, 0, 3, 1, 4)
        return x + self.out(
            F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, seq, width)
        )


class EncoderDecoder(nn.Module):
    def __init__(self, vocab: int, heads: int, head_dim: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab, heads * head_dim)
        self.encoder = Block(heads, head_dim, causal=False)
        self.decoder = nn.ModuleList(CrossBlock(heads, head_dim) for _ in range(2))
        self.head = nn.Linear(heads * head_dim, vocab)

    def forward(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> Float[Tensor, "batch target vocab"]:
        memory = self.encoder(self.tokens(source))
        x = self.tokens(target)
        for block in self.decoder:
            x = block(x, memory)
        return self.head(x)


def encdec_forward(*, batch: int, source: int, target: int, vocab: int, heads: int, head_dim: int) -> int:
    d = heads * head_dim

    def own(seq: int) -> int:
        return 2 * batch * seq * 12 * d * d + 4 * batch * seq * seq * d

    cross = (
        2 * batch * (target * d * d + source * 2 * d * d + target * d * d) + 4 * batch * target * source * d
    )
    return own(source) + 2 * (own(target) + cross) + 2 * batch * target * d * vocab


def encdec_training(**sizes: int) -> int:
    return 3 * encdec_forward(**sizes)


class LinearAttention(nn.Module):
    """Causal linear attention, carried step by step: a state of keys times values per head."""

    def __init__(self, heads: int, head_dim: int) -> None:
        super().__init__()
        self.heads, self.dim = heads, head_dim
        width = heads * head_dim
        self.inner, self.qkv, self.out = (
            nn.Linear(width, width),
            nn.Linear(width, 3 * width),
            nn.Linear(width, width),
        )

    def forward(self, x: Float[Tensor, "batch 5 heads*head_dim"]) -> Float[Tensor, "batch 5 heads*head_dim"]:
        batch, seq, width = x.shape
        q, k, v = self.qkv(self.inner(x)).view(batch, seq, 3, self.heads, self.dim).unbind(2)
        state = torch.zeros(batch, self.heads, self.dim, self.dim, dtype=x.dtype, device=x.device)
        steps = []
        for t in range(seq):
            state = state + torch.einsum("bhk,bhv->bhkv", F.elu(k[:, t]) + 1, v[:, t]).to(state.dtype)
            steps.append(torch.einsum("bhk,bhkv->bhv", F.elu(q[:, t]) + 1, state.to(q.dtype)))
        return self.out(torch.stack(steps, 1).reshape(batch, seq, width))


def linear_attention_forward(batch: int, heads: int, head_dim: int) -> int:
    d = heads * head_dim
    # einsum writes the outer product as an elementwise product: only reading the state is a contraction
    return 2 * batch * 5 * (d * d + 3 * d * d + d * d) + 2 * batch * heads * head_dim**2 * 5


def linear_attention_training(batch: int, heads: int, head_dim: int) -> int:
    d = heads * head_dim
    return 3 * linear_attention_forward(batch, heads, head_dim) - 2 * batch * 5 * d * d


class UNet(nn.Module):
    """Down, up by a transposed convolution, and a skip connection."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.enter = nn.Conv2d(3, width, 3, padding=1)
        self.down = nn.Conv2d(width, 2 * width, 3, stride=2, padding=1)
        self.middle = nn.Conv2d(2 * width, 2 * width, 3, padding=1)
        self.up = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.leave = nn.Conv2d(2 * width, 3, 3, padding=1)

    def forward(
        self, image: Float[Tensor, "batch 3 2*side 2*side"]
    ) -> Float[Tensor, "batch 3 2*side 2*side"]:
        top = F.silu(self.enter(image))
        low = F.silu(self.middle(F.silu(self.down(top))))
        return self.leave(torch.cat((top, self.up(low)), 1))


def unet_forward(batch: int, side: int, width: int) -> int:
    small, large = batch * side * side, batch * 4 * side * side
    enter, down = 2 * large * 9 * 3 * width, 2 * small * 9 * 2 * width * width
    middle, up = 2 * small * 9 * 4 * width * width, 2 * small * 4 * 2 * width * width
    return enter + down + middle + up + 2 * large * 9 * 2 * width * 3


def unet_training(batch: int, side: int, width: int) -> int:
    return 3 * unet_forward(batch, side, width) - 2 * batch * 4 * side * side * 27 * width


class LoRA(nn.Module):
    """Two frozen products with trainable low-rank corrections."""

    def __init__(self, d_model: int, rank: int) -> None:
        super().__init__()
        self.bases = nn.ModuleList(nn.Linear(d_model, d_model, bias=False) for _ in range(2))
        self.bases.requires_grad_(False)
        self.a = nn.ModuleList(nn.Linear(d_model, rank, bias=False) for _ in range(2))
        self.b = nn.ModuleList(nn.Linear(rank, d_model, bias=False) for _ in range(2))

    def forward(self, x: Float[Tensor, "batch d_model"]) -> Float[Tensor, "batch d_model"]:
        for base, a, b in zip(self.bases, self.a, self.b, strict=True):
            x = torch.tanh(base(x) + b(a(x)))
        return x


def lora_forward(batch: int, d_model: int, rank: int) -> int:
    return 2 * (2 * batch * d_model**2 + 4 * batch * d_model * rank)


def lora_training(batch: int, d_model: int, rank: int) -> int:
    base, low = 2 * batch * d_model**2, 2 * batch * d_model * rank
    # first layer: weights of a and b, and the input of b; second: also the inputs of base and a
    return lora_forward(batch, d_model, rank) + 3 * low + (base + 4 * low)


class Checkpointed(nn.Module):
    """A transformer whose blocks run again in the backward."""

    def __init__(self, heads: int, head_dim: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(50, heads * head_dim)
        self.blocks = nn.ModuleList(Block(heads, head_dim) for _ in range(3))

    def forward(self, tokens: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq heads*head_dim"]:
        x = self.tokens(tokens)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return x


def checkpointed_forward(batch: int, seq: int, heads: int, head_dim: int) -> int:
    d = heads * head_dim
    return 3 * (2 * batch * seq * 12 * d * d + 4 * batch * seq * seq * d)


def lstm_forward(**sizes: int) -> int:
    return recurrent_forward(4, **sizes)


def gru_forward(**sizes: int) -> int:
    return recurrent_forward(3, **sizes)


def checkpointed_training(**sizes: int) -> int:
    return 3 * checkpointed_forward(**sizes)  # what runs again is recomputation, not training


ZOO: dict[str, Entry] = {
    "mlp": Entry(MLP, {"batch": 16, "d_model": 32, "d_ff": 48}, mlp_forward, mlp_training),
    "deep linear": Entry(DeepLinear, {"batch": 64, "d_model": 32}, deep_forward, deep_training),
    "gpt": Entry(
        GPT, {"batch": 2, "seq": 24, "vocab": 100, "heads": 4, "head_dim": 8}, gpt_forward, gpt_training
    ),
    "llama": Entry(
        Llama,
        {"batch": 2, "seq": 12, "vocab": 80, "kv_heads": 2, "groups": 2, "head_dim": 8, "d_ff": 56},
        llama_forward,
        llama_training,
    ),
    "vit": Entry(
        ViT, {"batch": 3, "grid": 4, "heads": 2, "head_dim": 16, "classes": 10}, vit_forward, vit_training
    ),
    "resnet": Entry(
        ResNet, {"batch": 4, "side": 8, "width": 4, "classes": 10}, resnet_forward, resnet_training
    ),
    "convnext": Entry(
        ConvNeXt, {"batch": 2, "side": 4, "width": 8, "classes": 10}, convnext_forward, convnext_training
    ),
    "lstm": Entry(Recurrent, {"batch": 8, "d_in": 12, "hidden": 16}, lstm_forward, lstm_training),
    "gru": Entry(RecurrentGRU, {"batch": 8, "d_in": 12, "hidden": 16}, gru_forward, gru_training),
    "moe": Entry(
        MoE,
        {"tokens": 24, "experts": 4, "d_model": 16, "d_ff": 24, "capacity": 14},
        moe_forward,
        moe_training,
    ),
    "encoder-decoder": Entry(
        EncoderDecoder,
        {"batch": 2, "source": 10, "target": 8, "vocab": 60, "heads": 2, "head_dim": 8},
        encdec_forward,
        encdec_training,
    ),
    "linear attention": Entry(
        LinearAttention,
        {"batch": 6, "heads": 2, "head_dim": 8},
        linear_attention_forward,
        linear_attention_training,
    ),
    "unet": Entry(UNet, {"batch": 2, "side": 8, "width": 6}, unet_forward, unet_training),
    "lora": Entry(LoRA, {"batch": 24, "d_model": 32, "rank": 4}, lora_forward, lora_training),
    "checkpointed": Entry(
        Checkpointed,
        {"batch": 2, "seq": 16, "heads": 2, "head_dim": 8},
        checkpointed_forward,
        checkpointed_training,
    ),
}
