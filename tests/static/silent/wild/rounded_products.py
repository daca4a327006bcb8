"""Sizes rounded by strided layers, written as quotients: equal for every picture whose sides are multiples."""

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F


class Discriminator(nn.Module):
    """Two strided layers, and a head as wide as the author counts the picture to be."""

    def __init__(self, channels: int, img: int) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(channels, 8, 3, 2, 1), nn.LeakyReLU(), nn.Conv2d(8, 8, 3, 2, 1))
        side = img // 2**2
        self.place = nn.Parameter(torch.zeros(1, 8, side, side))
        self.head = nn.Linear(8 * side**2, 1)

    def forward(self, x: Float[Tensor, "b channels img img"]) -> Float[Tensor, "b 1"]:
        x = self.net(x) + self.place
        return self.head(x.view(x.shape[0], -1))


def tokens(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b n c"]:
    b, c, h, w = x.shape
    y = F.max_pool2d(F.max_pool2d(x, 3, 2, 1), 3, 2, 1)
    assert (y == y.reshape(b, c, h // 4, w // 4)).all()
    thinned = x[:, :, ::4, ::4].reshape(b, c, h // 4 * (w // 4))
    flat = y.flatten(2) + torch.zeros((h // 4) * (w // 4)) + thinned
    back = rearrange(flat, "b c (h w) -> b c h w", h=h // 4, w=w // 4)
    return back.flatten(2).transpose(1, 2)


def folded(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b 6 n"]:
    b, c, h, w = x.shape
    net = nn.Conv2d(c, 6, 3, 2, 1)
    return net(x).view(-1, 6, (h // 2) * (w // 2))


def of_each_head(layer: nn.Linear, width: int, heads: int) -> Tensor:
    return layer.weight.T.view(-1, heads, width).transpose(0, 1)


def combined(queries: nn.Linear, keys: nn.Linear, width: int, heads: int) -> Tensor:
    """What -1 leaves of a layer's weight is one size for both layers, as its author knows."""
    assert width * heads == queries.out_features
    q, k = of_each_head(queries, width, heads), of_each_head(keys, width, heads)
    made = torch.empty(heads, q.shape[1], q.shape[1])
    for h in range(heads):
        made[h] = q[h] @ k[h].mT
    return made


def paired(x: Float[Tensor, "b n"], extra: int) -> Float[Tensor, "b m"]:
    """All the pairs of an axis, and one more item for each odd number that has nothing to do with it."""
    pairs = torch.cat([x[:, : x.shape[1] // 2], x[:, x.shape[1] // 2 : 2 * (x.shape[1] // 2)]], dim=1)
    if extra % 2:
        pairs = torch.cat([pairs, x[:, :1]], dim=1)
    return pairs * torch.ones(2 * (x.shape[1] // 2) + extra % 2)


# run: combined(nn.Linear(5, 6), nn.Linear(5, 6), 3, 2)
# run: Discriminator(3, 16)(randn(2, 3, 16, 16))
# run: tokens(randn(2, 3, 8, 16))
# run: folded(randn(2, 3, 8, 16))
# run: paired(randn(2, 5), 3), paired(randn(2, 5), 2)
