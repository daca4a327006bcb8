import torch
from jaxtyping import Float
from torch import Tensor, nn


class GQA(nn.Module):
    def __init__(self, d_model: int, n_q: int, n_kv: int, head_dim: int):
        super().__init__()
        self.n_q, self.n_kv, self.head_dim = n_q, n_kv, head_dim
        self.wq = nn.Linear(d_model, n_q * head_dim, bias=False)
        self.wk = nn.Linear(d_model, n_kv * head_dim, bias=False)
        self.wv = nn.Linear(d_model, n_kv * head_dim, bias=False)
        self.wo = nn.Linear(n_q * head_dim, d_model, bias=False)

    @property
    def groups(self) -> int:
        return self.n_q // self.n_kv

    def forward(self, x: Float[Tensor, "b s d_model"]) -> Float[Tensor, "b s d_model"]:
        b, s, _ = x.shape
        q = self.wq(x).view(b, s, self.n_q, self.head_dim).transpose(1, 2)
        k = self.wk(x).view(b, s, self.n_kv, self.head_dim).transpose(1, 2)  #! k = self.wk(x).view(b, s, self.n_q, self.head_dim).transpose(1, 2)  # E: shape
        v = self.wv(x).view(b, s, self.n_kv, self.head_dim).transpose(1, 2)
        k = k.repeat_interleave(self.groups, dim=1)
        v = v.repeat_interleave(self.groups, dim=1)
        att = (q @ k.mT / self.head_dim**0.5).softmax(-1)
        return self.wo((att @ v).transpose(1, 2).reshape(b, s, -1))


m = GQA(32, 8, 2, 4)
y = m(torch.randn(2, 5, 32))


# run: pass
