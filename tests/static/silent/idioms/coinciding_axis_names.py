"""Constructor parameters and axes that share a name by accident."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Head(nn.Module):
    def __init__(self, dim: int, vocab: int) -> None:
        super().__init__()
        self.out = nn.Linear(dim, vocab + 1)  # one more for padding

    def forward(self, x: Float[Tensor, "b s dim"]) -> Float[Tensor, "b s vocab"]:
        return self.out(x)


class Stem(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, width, 3, padding=1)

    def forward(self, image: Float[Tensor, "b 3 height width"]) -> Float[Tensor, "b c height width"]:
        return self.conv(image)


class Windows(nn.Module):
    def __init__(self, size: int, batch: int) -> None:
        super().__init__()
        self.size, self.batch = size, batch

    def forward(self, x: Float[Tensor, "batch time"]) -> Float[Tensor, "batch n size"]:
        return x.unfold(1, self.size, self.size)


class Mixer(nn.Module):
    def __init__(self, channels: int, groups: int) -> None:
        super().__init__()
        self.groups = groups
        self.proj = nn.Conv1d(channels, channels * 2, 1, groups=groups)

    def forward(self, x: Float[Tensor, "b channels t"]) -> Float[Tensor, "b _ t"]:
        return self.proj(x)

    def split(self, x: Float[Tensor, "b channels t"]) -> Float[Tensor, "b groups per t"]:
        return x.unflatten(1, (self.groups, -1))


class Embedding(nn.Module):
    def __init__(self, n: int, dim: int, padding: bool = True) -> None:
        super().__init__()
        self.table = nn.Embedding(n + int(padding), dim)

    def forward(self, ids: Int[Tensor, "n"]) -> Float[Tensor, "n dim"]:
        return self.table(ids)


class Pool(nn.Module):
    def __init__(self, d: int, k: int = 2) -> None:
        super().__init__()
        self.k = k
        self.lin = nn.Linear(d // k, d // k)

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n k d2"]:
        return self.lin(x.unflatten(-1, (self.k, -1)))


def use(x: Float[Tensor, "b 3 16 20"], ids: Int[Tensor, "7"]) -> Float[Tensor, "7 5"]:
    stem = Stem(width=6)
    assert stem(x).shape[1] == 6
    frames = Windows(size=4, batch=99)(torch.randn(3, 12))
    assert frames.shape == (3, 3, 4)
    head = Head(dim=4, vocab=10)
    assert head(frames).shape[-1] == 11
    return Embedding(n=20, dim=5)(ids)


def without(head: int, pattern: Float[Tensor, "b head q k"]) -> Float[Tensor, "b head q k"]:
    keep = torch.arange(3) != head  # which of the heads, of which there are 3
    return pattern * keep[:, None, None]


def each(pattern) -> list[Tensor]:  # type: ignore[no-untyped-def]
    return [without(head, pattern) for head in range(3)] + [without(1, pattern)]


# run: use(randn(2, 3, 16, 20), randint(0, 20, (7,))); Mixer(6, 2)(randn(2, 6, 5)); Mixer(6, 2).split(randn(2, 6, 5)); Pool(6)(randn(3, 6)); each(randn(2, 3, 4, 4))
