"""One name, many shapes."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def describe(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b k"]:
    b = x.shape[0]
    x = F.avg_pool2d(x, 2)
    x = x.flatten(1)
    x = x.view(b, -1)
    x = x - x.mean(dim=1, keepdim=True)
    x = torch.cat([x, x.abs()], dim=1)
    x = x[:, ::2]
    return x


def encode(x: Int[Tensor, "b s"], table: Float[Tensor, "v d"]) -> Float[Tensor, "b d"]:
    x = table[x]
    x = x.sum(1)
    return x


def rank(x: Float[Tensor, "n d"], k: int) -> Int[Tensor, "n {k}"]:
    for _ in range(2):
        x = x / x.norm(dim=-1, keepdim=True)
    x = x @ x.T
    x.fill_diagonal_(-1)
    x = x.topk(k).indices
    return x


def peel(x: Float[Tensor, "*dims"]) -> Float[Tensor, ""]:
    while x.ndim > 0:
        x = x.mean(0)
    return x


def grow(x: Float[Tensor, "d"], times: int) -> Float[Tensor, "..."]:
    out = x
    for _ in range(times):
        out = out.unsqueeze(0)
    return out


def alternating(x: Float[Tensor, "a b"], flips: int) -> Float[Tensor, "_ _"]:
    for _ in range(flips):
        x = x.T
    return x


def doubled(x: Float[Tensor, "n d"], limit: int) -> Float[Tensor, "m d"]:
    while x.shape[0] < limit:
        x = torch.cat([x, x])
    return x[:limit]


def maybe_batched(x: Float[Tensor, "d"] | Float[Tensor, "b d"]) -> Float[Tensor, "d"] | Float[Tensor, "b d"]:
    squeeze = x.ndim == 1
    if squeeze:
        x = x[None]
    x = x * 2
    if squeeze:
        x = x[0]
    return x


def fold(parts: list[Float[Tensor, "_ d"]]) -> Float[Tensor, "total d"]:
    out = None
    for part in parts:
        out = part if out is None else torch.cat((out, part))
    assert out is not None
    return out


def swap_roles(a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
    if a.shape[0] > b.shape[0]:
        a, b = b, a
        flipped = True
    else:
        flipped = False
    c = a @ b.T
    return c.T if flipped else c


# run: describe(randn(2, 3, 4, 6)); encode(randint(0, 5, (2, 3)), randn(5, 7)); rank(randn(5, 3), 2); peel(randn(2, 3, 5)); grow(randn(3), 2)
# run: alternating(randn(3, 5), 3); doubled(randn(3, 5), 11); maybe_batched(randn(3)); maybe_batched(randn(2, 3)); fold([randn(2, 3), randn(5, 3)]); swap_roles(randn(5, 3), randn(2, 3)); swap_roles(randn(2, 3), randn(5, 3))
