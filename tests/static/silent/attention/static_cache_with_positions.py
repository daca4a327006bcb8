"""A preallocated cache written by position, and sliding-window masks."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


def find_multiple(n: int, k: int) -> int:
    return n if n % k == 0 else n + k - (n % k)


class KVCache(nn.Module):
    def __init__(self, max_batch_size, max_seq_length, n_heads, head_dim, dtype=torch.float32):
        super().__init__()
        cache_shape = (max_batch_size, n_heads, max_seq_length, head_dim)
        self.register_buffer("k_cache", torch.zeros(cache_shape, dtype=dtype))
        self.register_buffer("v_cache", torch.zeros(cache_shape, dtype=dtype))

    def update(
        self,
        input_pos: Int[Tensor, "s"],
        k_val: Float[Tensor, "b h s d"],
        v_val: Float[Tensor, "b h s d"],
    ) -> tuple[Float[Tensor, "b h max d"], Float[Tensor, "b h max d"]]:
        assert input_pos.shape[0] == k_val.shape[2]
        k_out = self.k_cache
        v_out = self.v_cache
        k_out[:, :, input_pos] = k_val
        v_out[:, :, input_pos] = v_val
        return k_out, v_out


def sliding_window(size: int, window: int) -> Bool[Tensor, "{size} {size}"]:
    i = torch.arange(size)
    causal = i[:, None] >= i[None, :]
    near = i[:, None] - i[None, :] < window
    return causal & near


class Model(nn.Module):
    def __init__(self, dim: int, n_head: int, n_local: int, max_seq: int):
        super().__init__()
        self.n_head, self.n_local, self.head_dim = n_head, n_local, dim // n_head
        self.max_seq_length = find_multiple(max_seq, 8)
        total = (n_head + 2 * n_local) * self.head_dim
        self.wqkv = nn.Linear(dim, total, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        self.kv_cache = None
        self.mask = None

    def setup_caches(self, batch: int) -> None:
        self.kv_cache = KVCache(batch, self.max_seq_length, self.n_local, self.head_dim)
        self.mask = sliding_window(self.max_seq_length, 7)

    def forward(self, x: Float[Tensor, "b s dim"], input_pos: Int[Tensor, "s"]) -> Float[Tensor, "b s dim"]:
        bsz, seqlen, dim = x.shape
        kv_size = self.n_local * self.head_dim
        q, k, v = self.wqkv(x).split([dim, kv_size, kv_size], dim=-1)
        q = q.view(bsz, seqlen, self.n_head, self.head_dim)
        k = k.view(bsz, seqlen, self.n_local, self.head_dim)
        v = v.view(bsz, seqlen, self.n_local, self.head_dim)
        q, k, v = map(lambda x: x.transpose(1, 2), (q, k, v))
        if self.kv_cache is not None:
            k, v = self.kv_cache.update(input_pos, k, v)
        mask = self.mask[None, None, input_pos] if self.mask is not None else None
        k = k.repeat_interleave(self.n_head // self.n_local, dim=1)
        v = v.repeat_interleave(self.n_head // self.n_local, dim=1)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=0.0)
        y = y.transpose(1, 2).contiguous().view(bsz, seqlen, dim)
        return self.wo(y)


# run: m = Model(12, 4, 2, 13); m.setup_caches(3)
# run: m(randn(3, 5, 12), torch.arange(5)); m(randn(3, 1, 12), torch.tensor([5]))
