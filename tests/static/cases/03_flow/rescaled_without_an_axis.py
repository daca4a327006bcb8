import math
import torch


class FlashAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, Q, K, V, is_causal=False):
        Bq, Bk = 16, 16
        B, Nq, d = Q.shape
        Nk = K.shape[1]
        O = torch.zeros_like(Q)
        L = torch.zeros(B, Nq, device=Q.device)
        scale = 1 / math.sqrt(d)
        for i in range(0, Nq, Bq):
            q = Q[:, i : i + Bq]
            o = torch.zeros_like(q)
            l = torch.zeros(B, q.shape[1])
            m = torch.full((B, q.shape[1]), -float("inf"))
            for j in range(0, Nk, Bk):
                k, v = K[:, j : j + Bk], V[:, j : j + Bk]
                s = q @ k.transpose(-1, -2) * scale
                m_new = torch.maximum(m, s.max(-1).values)
                p = torch.exp(s - m_new[..., None])
                alpha = torch.exp(m - m_new)
                l = alpha * l + p.sum(-1)
                o = alpha[..., None] * o + p @ v  #! o = alpha * o + p @ v
                m = m_new
            O[:, i : i + Bq] = o / l[..., None]
            L[:, i : i + Bq] = m + torch.log(l)
        ctx.save_for_backward(L, Q, K, V, O)
        return O

    @staticmethod
    def backward(ctx, dO):
        L, Q, K, V, O = ctx.saved_tensors
        d = Q.shape[-1]
        S = Q @ K.mT / math.sqrt(d)
        P = torch.exp(S - L[..., None])
        D = (O * dO).sum(-1, keepdim=True)
        dV = P.mT @ dO
        dP = dO @ V.mT
        dS = P * (dP - D)
        return dS @ K / math.sqrt(d), dS.mT @ Q / math.sqrt(d), dV, None


def main():
    q, k, v = (torch.randn(2, 64, 32, requires_grad=True) for _ in range(3))
    out = FlashAttention.apply(q, k, v)  # E: shape
    out.sum().backward()


# run: main()
