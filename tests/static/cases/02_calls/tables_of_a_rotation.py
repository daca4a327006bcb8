import torch
from jaxtyping import Float
from torch import Tensor


def tables(width: int, length: int, base: float = 10000.0):
    rates = base ** -(torch.arange(0, width, 2).float() / width)
    angles = torch.outer(torch.arange(length).float(), rates)
    return angles.cos(), angles.sin()


def rotate(
    x: Float[Tensor, "heads seq dim"], cos: Float[Tensor, "seq half"], sin: Float[Tensor, "seq half"]
) -> Float[Tensor, "heads seq dim"]:
    left, right = x.chunk(2, dim=-1)
    return torch.cat([left * cos - right * sin, left * sin + right * cos], dim=-1)


def turned(x: Float[Tensor, "4 seq 8"]) -> Float[Tensor, "4 seq 8"]:
    cos, sin = tables(8, x.shape[1])  #! cos, sin = tables(32, x.shape[1])
    return rotate(x, cos, sin)  # E: shape


def one_rate(x: Float[Tensor, "4 seq 8"]) -> Float[Tensor, "4 seq 8"]:
    cos, sin = tables(2, x.shape[1])
    return rotate(x, cos, sin)


# run: turned(torch.randn(4, 5, 8))
# run: one_rate(torch.randn(4, 5, 8))
