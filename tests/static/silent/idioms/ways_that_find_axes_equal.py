"""What one branch has found out of axes is not so on the others."""

import torch
from jaxtyping import Float
from torch import Tensor


def multi_query(q: Float[Tensor, "b h n d"], k: Float[Tensor, "b kv n d"]) -> Float[Tensor, "b h n n"]:
    if k.shape[1] == 1:
        k = k.expand(-1, q.shape[1], -1, -1)
    elif k.shape[1] != q.shape[1]:
        k = k.repeat_interleave(q.shape[1] // k.shape[1], dim=1)
    return q @ k.mT


def of_any_rank(x: Float[Tensor, "*s"]) -> Float[Tensor, "n"]:
    match x.shape:
        case (_,):
            return x
        case (_, _):
            return x.sum(1)
        case (_, *_):
            return x.flatten(1).sum(1)
        case _:
            return x[None]


def compatible(a: Float[Tensor, "n m"], b: Float[Tensor, "k l"]) -> bool:
    try:
        torch.broadcast_shapes(a.shape, b.shape)
    except RuntimeError:
        return False
    return True


def strassen(a: Float[Tensor, "n n"], b: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
    n = a.shape[0]
    if n <= 1:
        return a @ b
    k = n // 2
    a11, a12, a21, a22 = a[:k, :k], a[:k, k:], a[k:, :k], a[k:, k:]
    b11, b12, b21, b22 = b[:k, :k], b[:k, k:], b[k:, :k], b[k:, k:]
    above = [strassen(a11, b11) + strassen(a12, b21), strassen(a11, b12) + strassen(a12, b22)]
    below = [strassen(a21, b11) + strassen(a22, b21), strassen(a21, b12) + strassen(a22, b22)]
    return torch.cat([torch.cat(above, dim=1), torch.cat(below, dim=1)])


# run: multi_query(randn(1, 4, 2, 3), randn(1, 2, 2, 3)); multi_query(randn(1, 4, 2, 3), randn(1, 1, 2, 3))
# run: of_any_rank(randn(2)); of_any_rank(randn(2, 3, 4)); of_any_rank(torch.tensor(1.0))
# run: compatible(randn(2, 3), randn(4, 5)); strassen(randn(4, 4), randn(4, 4))
