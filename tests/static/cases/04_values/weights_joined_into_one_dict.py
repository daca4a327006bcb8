import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def run_linear(d_in: int, d_out: int, weights: Float[Tensor, "d_out d_in"], in_features: Float[Tensor, "... d_in"]) -> Float[Tensor, "... d_out"]:
    return in_features @ weights.T


def run_embedding(vocab_size: int, d_model: int, weights: Float[Tensor, "vocab_size d_model"], token_ids: Int[Tensor, "..."]) -> Float[Tensor, "... d_model"]:
    return weights[token_ids]


def run_silu(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return x * torch.sigmoid(x)


def run_rmsnorm(d_model: int, eps: float, weights: Float[Tensor, "d_model"], x: Float[Tensor, "... d_model"]) -> Float[Tensor, "... d_model"]:
    rms = torch.sqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    return x / rms * weights


def run_swiglu(d_model, d_ff, w1, w2, w3, x):
    return run_linear(d_ff, d_model, w2, run_silu(run_linear(d_model, d_ff, w1, x)) * run_linear(d_model, d_ff, w3, x))


def run_sdpa(
    q: Float[Tensor, "... queries d_k"],
    k: Float[Tensor, "... keys d_k"],
    v: Float[Tensor, "... keys d_v"],
    mask: Bool[Tensor, "... queries keys"] | None = None,
) -> Float[Tensor, "... queries d_v"]:
    scores = torch.einsum("...qd,...kd->...qk", q, k) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    p = torch.softmax(scores, dim=-1)
    return torch.einsum("...qk,...kd->...qd", p, v)


def run_rope(d_k: int, theta: float, max_seq_len: int, x: Float[Tensor, "... seq d_k"], positions: Int[Tensor, "... seq"]) -> Float[Tensor, "... seq d_k"]:
    freq = theta ** (-torch.arange(0, d_k, 2) / d_k)
    angle = torch.arange(max_seq_len)[:, None] * freq
    cos, sin = angle.cos()[positions], angle.sin()[positions]
    even, odd = x[..., 0::2], x[..., 1::2]
    out = torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1)
    return out.flatten(-2)


def run_mha(d_model: int, heads: int, wq, wk, wv, wo, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch seq d_model"]:
    b, s, _ = x.shape
    q = run_linear(d_model, d_model, wq, x).view(b, s, heads, -1).transpose(1, 2)
    k = run_linear(d_model, d_model, wk, x).view(b, s, heads, -1).transpose(1, 2)
    v = run_linear(d_model, d_model, wv, x).view(b, s, heads, -1).transpose(1, 2)
    pos = torch.arange(s)
    q, k = run_rope(d_model // heads, 10000.0, 64, q, pos), run_rope(d_model // heads, 10000.0, 64, k, pos)
    mask = torch.tril(torch.ones(s, s, dtype=torch.bool))
    out = run_sdpa(q, k, v, mask).transpose(1, 2).reshape(b, s, d_model)
    return run_linear(d_model, d_model, wo, out)


def run_block(d_model, heads, d_ff, weights, x):
    h = run_rmsnorm(d_model, 1e-5, weights["ln1.weight"], x)
    x = x + run_mha(d_model, heads, *(weights[f"attn.{n}_proj.weight"] for n in "qkvo"), h)
    h = run_rmsnorm(d_model, 1e-5, weights["ln2.weight"], x)
    return x + run_swiglu(d_model, d_ff, weights["ffn.w1"], weights["ffn.w2"], weights["ffn.w3"], h)


def main():
    d, f, v = 16, 48, 50
    weights = {f"attn.{n}_proj.weight": torch.randn(d, d) for n in "qkvo"}
    weights |= {"ln1.weight": torch.ones(d), "ln2.weight": torch.ones(d)}
    weights |= {"ffn.w1": torch.randn(f, d), "ffn.w2": torch.randn(d, f), "ffn.w3": torch.randn(f, d)}  #! weights |= {"ffn.w1": torch.randn(f, d), "ffn.w2": torch.randn(f, d), "ffn.w3": torch.randn(f, d)}
    x = run_embedding(v, d, torch.randn(v, d), torch.randint(v, (2, 8)))
    return run_block(d, 4, f, weights, x).sum().item()  # E: shape


# run: main()
