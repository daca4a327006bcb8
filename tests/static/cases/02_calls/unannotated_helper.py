import torch
from jaxtyping import Float
from torch import Tensor


def split_heads(x, n_heads):
    b, s, d = x.shape
    return x.view(b, s, n_heads, d // n_heads).transpose(1, 2)


def merge_heads(x):
    return x.transpose(1, 2).flatten(2)  #! return x.transpose(1, 2).flatten(1, 2)


def round_trip(x: Float[Tensor, "b s d"], n_heads: int) -> Float[Tensor, "b s d"]:
    return merge_heads(split_heads(x, n_heads))  # E: shape


# run: round_trip(randn(2, 5, 21), 3)
