"""Methods that call the object ``s``: what it keeps is known as it is under ``self``."""

from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(s, dim, heads=4, width=16):
        super().__init__()
        s.heads = heads
        s.qkv = nn.Linear(dim, 3 * heads * width, bias=False)
        s.out = nn.Linear(heads * width, dim)  #! s.out = nn.Linear(dim, dim)

    def forward(s, x: Float[Tensor, "b t e"]) -> Float[Tensor, "b t e"]:
        q, k, v = rearrange(s.qkv(x), "b t (three h d) -> three b h t d", three=3, h=s.heads)
        return s.out(rearrange(q @ k.mT @ v, "b h t d -> b t (h d)"))  # E: shape


def attend(x: Float[Tensor, "b t 32"]) -> Float[Tensor, "b t 32"]:
    return Attention(32)(x)


# run: attend(randn(2, 3, 32))
