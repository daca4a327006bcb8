import math

import torch
from einops import einsum, rearrange
from jaxtyping import Float
from torch import Tensor


def attention_and_lse(q, k, v, causal=False):
    d = q.shape[-1]
    s = einsum(q, k, "... q d, ... k d -> ... q k") / d**0.5
    if causal:
        n_q, n_k = q.shape[-2], k.shape[-2]
        s = torch.where(torch.arange(n_q)[None, :, None] >= torch.arange(n_k)[None, None, :], s, -1e6)
    p = torch.softmax(s, dim=-1)
    return einsum(p, v, "... q k, ... k d -> ... q d"), torch.logsumexp(s, dim=-1)


class FlashAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, Q, K, V, is_causal=False):
        B, Nq, d = Q.shape
        Nk = K.shape[1]
        Bq, Bk = 16, 16
        scale = 1 / math.sqrt(d)
        O = torch.empty(B, Nq, d)
        L = torch.empty(B, Nq)  #! L = torch.empty(B, Nk)
        for i in range(Nq // Bq):
            q = Q[:, i * Bq : (i + 1) * Bq]
            o = torch.zeros(B, Bq, d)
            l = torch.zeros(B, Bq)
            m = torch.full((B, Bq), float("-inf"))
            for j in range(Nk // Bk):
                k, v = K[:, j * Bk : (j + 1) * Bk], V[:, j * Bk : (j + 1) * Bk]
                s = q @ k.transpose(-1, -2) * scale
                m_new = torch.maximum(m, s.amax(-1))
                p = torch.exp(s - m_new[..., None])
                alpha = torch.exp(m - m_new)
                l = alpha * l + p.sum(-1)
                o = alpha[..., None] * o + p @ v
                m = m_new
            O[:, i * Bq : (i + 1) * Bq] = o / l[..., None]
            L[:, i * Bq : (i + 1) * Bq] = m + l.log()
        ctx.save_for_backward(L, Q, K, V, O)
        ctx.is_causal = is_causal
        return O

    @staticmethod
    def backward(ctx, dO):
        L, Q, K, V, O = ctx.saved_tensors
        scale = 1 / math.sqrt(Q.shape[-1])
        D = (O * dO).sum(-1)
        S = Q @ K.transpose(-1, -2) * scale
        P = torch.exp(S - L[..., None])
        dV = P.transpose(-1, -2) @ dO
        dP = dO @ V.transpose(-1, -2)
        dS = P * (dP - D[..., None])
        dQ = dS @ K * scale
        dK = dS.transpose(-1, -2) @ Q * scale
        return dQ, dK, dV, None


def main():
    torch.manual_seed(0)
    q = torch.randn(2, 32, 8, requires_grad=True)
    k, v = torch.randn(2, 48, 8), torch.randn(2, 48, 8)
    out = FlashAttention.apply(q, k, v, False)  # E: shape
    ref, lse = attention_and_lse(q, k, v)
    weights = (q @ k.mT / 8**0.5 - lse[..., None]).exp()
    (out.sum() + weights.sum()).backward()
    return (out - ref).abs().max().item() < 1e-4


# run: main()
