"""Helpers that say they give modules, and whose bodies say which: in lists, dicts, tuples and iterators."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Optional

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Scale(nn.Module):
    def __init__(self, width: int, factor: int) -> None:
        super().__init__()
        self.fc = nn.Linear(width, factor * width)

    def forward(self, x: Float[Tensor, "*batch width"]) -> Tensor:
        return self.fc(x)


def mlp(*widths: int) -> list[nn.Module]:
    layers: list[nn.Module] = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), nn.GELU()]
    return layers[:-1]


def scales(width: int) -> list[Scale]:
    return [Scale(width, 2), Scale(2 * width, 3)]


def heads(width: int, **classes: int) -> dict[str, nn.Module]:
    return {name: nn.Linear(width, n) for name, n in classes.items()}


def pair(width: int) -> tuple[Scale, nn.Linear]:
    return Scale(width, 2), nn.Linear(2 * width, 5)


def perhaps(width: int, deep: bool) -> list[Optional[nn.Module]]:
    return [nn.Linear(width, width) if deep else None, nn.Linear(width, 1)]


def none_yet() -> list[nn.Module]:
    return []


def shrinking(width: int) -> Iterator[nn.Module]:
    while width > 1:
        yield nn.Linear(width, width // 2)
        width //= 2


def likened(like: Float[Tensor, "n d"]) -> list[nn.Module]:
    return [nn.Linear(like.shape[-1], 3)]


@contextmanager
def evaluating(model: nn.Module) -> Iterator[nn.Module]:
    model.eval()
    yield model
    model.train()


def main():
    x = torch.randn(2, 4)
    net = nn.Sequential(*mlp(4, 8, 6))
    y = net(x)
    first, second = scales(4)
    z = second(first(x))
    by_name = {name: head(y) for name, head in heads(6, colour=7, size=3).items()}
    scale, out = pair(4)
    w = out(scale(x))
    maybe, last = perhaps(4, True)
    v = last(maybe(x) if maybe is not None else x)
    more = none_yet()
    more.append(nn.Linear(4, 9))
    u = nn.Sequential(*more)(x)
    t = x
    for layer in shrinking(4):
        t = layer(t)
    (small,) = likened(x)
    with evaluating(net) as same:
        s = same(x)
    assert y.shape == s.shape == (2, 6) and z.shape == (2, 24) and w.shape == (2, 5)
    assert by_name["colour"].shape == (2, 7) and by_name["size"].shape == (2, 3)
    assert v.shape == (2, 1) and u.shape == (2, 9) and t.shape == (2, 1) and small(x).shape == (2, 3)
    return y, z, w, v, u, t, s


# run: main()
