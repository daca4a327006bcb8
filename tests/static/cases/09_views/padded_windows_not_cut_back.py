import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def windowed(x: Float[Tensor, "b t d"], size: int) -> Float[Tensor, "b t d"]:
    b, t, d = x.shape
    y = F.pad(x, (0, 0, 0, -t % size)).view(b, -1, size, d)
    y = ((y @ y.mT).softmax(-1) @ y).flatten(1, 2)
    return x + y[:, :t]  #! return x + y  # E: shape


def squares(x: Float[Tensor, "b h w c"], size: int) -> Float[Tensor, "b h w c"]:
    b, h, w, c = x.shape
    right, below = (size - w % size) % size, (size - h % size) % size
    x = F.pad(x, (0, 0, 0, right, 0, below))
    high, wide = h + below, w + right
    x = x.view(b, high // size, size, wide // size, size, c).flip(2, 4).reshape(b, high, wide, c)
    return x[:, :h, :w]  #! return x  # E: shape


def doubled(x: Float[Tensor, "b t"]) -> Float[Tensor, "b t"]:
    t = x.shape[1]
    if t % 2:
        x = F.pad(x, (0, 1))
    y = F.avg_pool1d(x, 1).cumsum(1)
    return y[:, :t]  #! return y  # E: shape


def perhaps(x: Float[Tensor, "b t"], size: int) -> Float[Tensor, "b t"]:
    t = x.shape[1]
    pad = -t % size
    if pad > 0:
        x = F.pad(x, (0, pad))
    return x.view(x.shape[0], -1, size).cumsum(-1).flatten(1)[:, :t]  #! return x.view(x.shape[0], -1, size).cumsum(-1).flatten(1)  # E: shape


# run: windowed(torch.rand(2, 7, 4), 3), squares(torch.rand(2, 5, 7, 1), 3)
# run: doubled(torch.rand(2, 5)), perhaps(torch.rand(2, 7), 3)
