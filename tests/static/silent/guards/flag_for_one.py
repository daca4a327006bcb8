"""A cache, a mode or a flag says that an axis is of size one; items of lists have sizes of their own."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


def step(x: Float[Tensor, "b 1 d"]) -> Float[Tensor, "b 1 d"]:
    return x * 2


def cached(x: Float[Tensor, "b l d"], cache: dict | None = None) -> Float[Tensor, "b l d"]:
    if cache is not None:
        return step(x)
    return x


def decoded(x: Float[Tensor, "b l d"], decode: bool = False) -> Float[Tensor, "b l d"]:
    return step(x) if decode else x


def offset_by(x: Float[Tensor, "b l d"], offset: int = 0) -> Float[Tensor, "b l d"]:
    if offset > 0:
        return step(x)
    return x


class Running(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.state: Tensor | None = None

    def forward(self, x: Float[Tensor, "b l d"]) -> Float[Tensor, "b l d"]:
        if self.state is None:
            self.state = x[:, -1]
            return x
        self.state = self.state + x[:, 0]
        return step(x)


def coloured(grey: Float[Tensor, "b 1 h w"]) -> Float[Tensor, "b 3 h w"]:
    return grey.expand(-1, 3, -1, -1)


def prepared(image: Float[Tensor, "b c h w"], grey: bool) -> Float[Tensor, "b colours h w"]:
    if grey:
        image = coloured(image)
    return image


def single(v: Float[Tensor, "b 1"]) -> Float[Tensor, " b"]:
    return v.squeeze(-1)


def value(v: Float[Tensor, "b out"], kind: str) -> Float[Tensor, " b"]:
    if kind == "critic":
        return single(v)
    return v.max(-1).values


def parts(n: int, size: int) -> list[Float[Tensor, "b d"]]:
    return list(torch.randn(n, 3).split(size))


def matched() -> list[tuple[Int[Tensor, " m"], Int[Tensor, " m"]]]:
    return [(torch.arange(n), torch.arange(n)) for n in (3, 2)]


def scales() -> dict[str, Float[Tensor, "n n"]]:
    return {"small": torch.eye(2), "large": torch.eye(5)}


def check() -> None:
    for wide, narrow in ((torch.randn(2, 3, 4), torch.randn(2, 1, 4)), (torch.randn(1, 5, 2), torch.randn(1, 1, 2))):
        cached(wide)
        cached(narrow, {})
        decoded(wide)
        decoded(narrow, decode=True)
        offset_by(wide)
        offset_by(narrow, 3)
        running = Running()
        running(wide)
        running(narrow)
    prepared(torch.randn(2, 1, 3, 4), grey=True)
    prepared(torch.randn(2, 3, 4, 5), grey=False)
    value(torch.randn(4, 1), "critic")
    value(torch.randn(3, 5), "q")
    assert len(parts(24, 5)) == 5
    matched()
    scales()


# run: check()
