import torch
from jaxtyping import Float
from torch import Tensor


def anchors(h: int, w: int, stride: float) -> Float[Tensor, "{h}*{w} 2"]:
    ys = torch.arange(h) * stride
    xs = torch.arange(w) * stride
    y, x = torch.meshgrid(ys, xs, indexing="ij")
    return torch.stack((x, y), dim=-1).view(-1, 2)  #! return torch.stack((x, y), dim=-1)  # E: shape


# run: anchors(3, 5, 8.0)
