"""GPT-2 and Llama written from their papers' equations, over Hugging Face's names."""

import math
from collections.abc import Mapping

import torch
from torch import Tensor

State = Mapping[str, Tensor]


def _attend(q: Tensor, k: Tensor, v: Tensor, heads: int) -> Tensor:
    """Causal attention on (seq, width) matrices, head by head; key heads are shared in order."""
    seq, head_dim = q.shape[0], q.shape[1] // heads
    kv_heads = k.shape[1] // head_dim
    mixed = []
    for head in range(heads):
        shared = head // (heads // kv_heads)
        own, other = (
            slice(head * head_dim, (head + 1) * head_dim),
            slice(shared * head_dim, (shared + 1) * head_dim),
        )
        scores = q[:, own] @ k[:, other].T / math.sqrt(head_dim)
        scores = scores + torch.full((seq, seq), -math.inf, dtype=q.dtype).triu(1)
        weights = scores.exp() / scores.exp().sum(-1, keepdim=True)
        mixed.append(weights @ v[:, other])
    return torch.cat(mixed, dim=-1)


def gpt2(state: State, tokens: Tensor, *, heads: int, eps: float = 1e-5) -> Tensor:
    """Logits (seq, vocab) of one sequence (Radford et al., 2019)."""

    def norm(x: Tensor, name: str) -> Tensor:
        centred = x - x.mean(-1, keepdim=True)
        scaled = centred / (centred.square().mean(-1, keepdim=True) + eps).sqrt()
        return scaled * state[f"{name}.weight"] + state[f"{name}.bias"]

    def conv(x: Tensor, name: str) -> Tensor:
        return x @ state[f"{name}.weight"] + state[f"{name}.bias"]

    x = state["transformer.wte.weight"][tokens] + state["transformer.wpe.weight"][: len(tokens)]
    layer = 0
    while f"transformer.h.{layer}.ln_1.weight" in state:
        here = f"transformer.h.{layer}"
        q, k, v = conv(norm(x, f"{here}.ln_1"), f"{here}.attn.c_attn").chunk(3, dim=-1)
        x = x + conv(_attend(q, k, v, heads), f"{here}.attn.c_proj")
        h = conv(norm(x, f"{here}.ln_2"), f"{here}.mlp.c_fc")
        h = 0.5 * h * (1 + torch.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h**3)))
        x = x + conv(h, f"{here}.mlp.c_proj")
        layer += 1
    return norm(x, "transformer.ln_f") @ state["lm_head.weight"].T


def llama(state: State, tokens: Tensor, *, heads: int, theta: float = 10_000.0, eps: float = 1e-6) -> Tensor:
    """Logits (seq, vocab) of one sequence (Touvron et al., arXiv:2302.13971; pairs as Hugging Face's)."""

    def norm(x: Tensor, name: str) -> Tensor:
        return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * state[f"{name}.weight"]

    def project(x: Tensor, name: str) -> Tensor:
        bias = state.get(f"{name}.bias")
        return x @ state[f"{name}.weight"].T + (0 if bias is None else bias)

    def rotate(x: Tensor, head_dim: int) -> Tensor:
        half = head_dim // 2
        angle = torch.arange(len(x))[:, None] * theta ** (-2 * torch.arange(half).float() / head_dim)
        turn = torch.polar(torch.ones_like(angle), angle).to(
            torch.complex64 if x.dtype.itemsize < 8 else torch.complex128
        )
        turned = []
        for head in x.split(head_dim, dim=-1):
            pairs = torch.complex(head[:, :half].contiguous(), head[:, half:].contiguous()) * turn
            turned += [pairs.real, pairs.imag]
        return torch.cat(turned, dim=-1)

    x = state["model.embed_tokens.weight"][tokens]
    layer = 0
    while f"model.layers.{layer}.input_layernorm.weight" in state:
        here = f"model.layers.{layer}"
        h = norm(x, f"{here}.input_layernorm")
        q, k, v = (project(h, f"{here}.self_attn.{part}_proj") for part in "qkv")
        head_dim = q.shape[1] // heads
        x = x + project(
            _attend(rotate(q, head_dim), rotate(k, head_dim), v, heads), f"{here}.self_attn.o_proj"
        )
        h = norm(x, f"{here}.post_attention_layernorm")
        gate = project(h, f"{here}.mlp.gate_proj")
        x = x + project(
            gate / (1 + (-gate).exp()) * project(h, f"{here}.mlp.up_proj"), f"{here}.mlp.down_proj"
        )
        layer += 1
    return norm(x, "model.norm") @ state["lm_head.weight"].T
