import torch
import torch.nn as nn
from jaxtyping import Bool, Float, Int
from torch import Tensor


def attend(x: Float[Tensor, "*b t d"], mask: Bool[Tensor, "*b t t"] | None = None) -> Float[Tensor, "*b t d"]:
    return x


def plain(x: Float[Tensor, "b t d"], mask: Bool[Tensor, "t t"] | None = None) -> Float[Tensor, "b t d"]:
    return x


def ranked(x: Float[Tensor, "*b t d"], causal: bool) -> Float[Tensor, "*b t d"]:
    mask = None
    if x.ndim == 3 and causal:
        mask = torch.ones(x.shape[0], x.shape[1], x.shape[1], dtype=torch.bool).tril()
    return attend(x, mask)


def ranked2(x: Float[Tensor, "*b t d"], causal: bool) -> Float[Tensor, "*b t d"]:
    mask = None
    if causal:
        mask = torch.ones(*x.shape[:-1], x.shape[-2], dtype=torch.bool)
    return attend(x, mask)


def asked_again(x: Float[Tensor, "b t d"], soft: bool) -> Float[Tensor, "b t d"]:
    mask = torch.rand(x.shape[1], x.shape[1]) if soft else None
    if not soft:
        x = plain(x, mask)
    if mask is None:
        x = plain(x, mask)
    if mask is not None:
        x = plain(x, mask > 0.5)
    return x


def replaced(x: Float[Tensor, "b t d"], soft: bool) -> Float[Tensor, "b t d"]:
    mask = torch.rand(x.shape[1], x.shape[1]) if soft else None
    if mask is not None:
        mask = mask > 0.5
    return plain(x, mask)


def asserted(x: Float[Tensor, "b t d"], mask: Float[Tensor, "t t"] | None) -> Float[Tensor, "b t d"]:
    assert mask is None
    return plain(x, mask)


def raised(x: Float[Tensor, "b t d"], mask: Float[Tensor, "t t"] | None, n: int) -> Float[Tensor, "b t d"]:
    if n and mask is not None:
        raise ValueError("both")
    return plain(x, None if mask is None else mask.bool())


def raised_by_flag(x: Float[Tensor, "b t d"], soft: bool) -> Float[Tensor, "b t d"]:
    mask = torch.rand(x.shape[1], x.shape[1]) if soft else None
    if soft:
        raise ValueError("not yet")
    return plain(x, mask)


def returned_early(x: Float[Tensor, "b t d"], soft: bool) -> Float[Tensor, "b t d"]:
    mask = torch.rand(x.shape[1], x.shape[1]) if soft else None
    if soft:
        return x
    return plain(x, mask)


def tried(x: Float[Tensor, "b t d"], soft: bool) -> Float[Tensor, "b t d"]:
    mask = torch.rand(x.shape[1], x.shape[1]) if soft else None
    try:
        return plain(x, mask)
    except TypeError:
        return x


def either(x: Float[Tensor, "b t d"], mask: Bool[Tensor, "t t"] | Float[Tensor, "t t"] | None) -> Float[Tensor, "b t d"]:
    return plain(x, mask)


def kinds(x: Float[Tensor, "b t d"], mask: Float[Tensor, "t t"] | list[int] | None) -> Float[Tensor, "b t d"]:
    if isinstance(mask, Tensor):
        mask = mask > 0
    return plain(x, mask if not isinstance(mask, list) else None)


class Store(nn.Module):
    def __init__(self, soft: bool = False) -> None:
        super().__init__()
        self.soft = soft
        self.mask = torch.rand(4, 4) if soft else None

    def _check(self) -> None:
        if self.soft:
            raise ValueError("soft")

    def forward(self, x: Float[Tensor, "b 4 d"]) -> Float[Tensor, "b 4 d"]:
        if not self.soft:
            return plain(x, self.mask)
        return x

    def exits(self, x: Float[Tensor, "b 4 d"]) -> Float[Tensor, "b 4 d"]:
        if self.mask is not None:
            return x
        return plain(x, self.mask)


def looped(xs: list[Float[Tensor, "b t d"]], soft: bool) -> Bool[Tensor, "t t"] | None:
    mask = None
    for x in xs:
        mask = torch.rand(x.shape[1], x.shape[1]) if soft else None
        if mask is None:
            continue
        mask = mask > 0.1
    return mask


def best(xs: Float[Tensor, "n d"], k: int) -> Float[Tensor, "d"] | None:
    found = None
    for x in xs:
        if found is None or x.sum() > found.sum():
            found = x
    return found


def reduced(x: Float[Tensor, "b t"], keep: bool, mean: bool) -> Float[Tensor, ""] | None:
    loss = None
    if keep:
        loss = x.abs()
    if loss is not None and mean:
        loss = loss.mean()
    if loss is not None and loss.ndim:
        loss = loss.sum()
    return loss


def reduced2(x: Float[Tensor, "b t"], keep: bool) -> Float[Tensor, ""] | None:
    loss = x.abs() if keep else None
    if keep:
        loss = loss.mean()
    return loss


def compared(x: Float[Tensor, "b t d"], k: Float[Tensor, "b s d"], causal: bool) -> Float[Tensor, "b t d"]:
    mask = None
    if causal and x.shape[1] == k.shape[1]:
        mask = torch.ones(x.shape[1], k.shape[1], dtype=torch.bool)
    return plain(x, mask)


def most(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b t d"]:
    mask = torch.ones(n, n, dtype=torch.bool) if n == x.shape[1] else None
    return plain(x, mask)


def asserted_n(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b t d"]:
    mask = torch.rand(x.shape[1], x.shape[1]) if n > 1 else None
    assert n <= 1
    return plain(x, mask)


def raised_n(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b t d"]:
    mask = torch.rand(x.shape[1], x.shape[1]) if n > 1 else None
    if n > 1:
        raise ValueError("n")
    return plain(x, mask)


def removed(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b t d"]:
    mask = torch.rand(x.shape[1], x.shape[1]) if n > 1 else None
    if n > 1:
        x = plain(x, mask > 0.5)
        mask = None
    return plain(x, mask)


def removed_parameter(x: Float[Tensor, "b t d"], mask: Float[Tensor, "t t"] | None, n: int) -> Float[Tensor, "b t d"]:
    if n > 1:
        mask = None
    return plain(x, None if n <= 1 else mask)


def left_loop(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b t d"]:
    mask = torch.rand(x.shape[1], x.shape[1]) if n > 1 else None
    for _ in range(3):
        if n > 1:
            return x
    return plain(x, mask)


def left_while(x: Float[Tensor, "b t d"], n: int) -> Float[Tensor, "b t d"]:
    mask = torch.rand(x.shape[1], x.shape[1]) if n > 1 else None
    while n > 1:
        return x
    return plain(x, mask)


def made(x: Float[Tensor, "b t d"], kind: str):
    if kind == "bool":
        return None
    return torch.rand(x.shape[1], x.shape[1])


def by_helper(x: Float[Tensor, "b t d"], kind: str) -> Float[Tensor, "b t d"]:
    mask = made(x, kind)
    return plain(x, mask)


class Modes(nn.Module):
    def __init__(self, soft: bool = False) -> None:
        super().__init__()
        if soft:
            self.mask = torch.rand(4, 4)
        else:
            self.mask = None

    def forward(self, x: Float[Tensor, "b 4 d"]) -> Float[Tensor, "b 4 d"]:
        return plain(x, self.mask)

    def soft_forward(self, x: Float[Tensor, "b 4 d"]) -> Float[Tensor, "b 4 d"]:
        return x * self.mask.mean()


# run: ranked(randn(2, 3, 4), True)
# run: ranked(randn(3, 4), True)
# run: ranked2(randn(2, 5, 3, 4), True)
# run: asked_again(randn(2, 3, 4), True)
# run: asked_again(randn(2, 3, 4), False)
# run: replaced(randn(2, 3, 4), True)
# run: asserted(randn(2, 3, 4), None)
# run: raised(randn(2, 3, 4), None, 1)
# run: raised_by_flag(randn(2, 3, 4), False)
# run: returned_early(randn(2, 3, 4), True)
# run: tried(randn(2, 3, 4), False)
# run: either(randn(2, 3, 4), None)
# run: kinds(randn(2, 3, 4), randn(3, 3))
# run: kinds(randn(2, 3, 4), [1])
# run: Store()(randn(2, 4, 3))
# run: Store(True)(randn(2, 4, 3))
# run: Store(True).exits(randn(2, 4, 3))
# run: looped([randn(2, 3, 4)] * 2, True)
# run: looped([randn(2, 3, 4)] * 2, False)
# run: best(randn(5, 3), 2)
# run: reduced(randn(2, 3), True, True)
# run: reduced(randn(2, 3), True, False)
# run: reduced2(randn(2, 3), True)
# run: reduced2(randn(2, 3), False)
# run: compared(randn(2, 3, 4), randn(2, 3, 4), True)
# run: compared(randn(2, 3, 4), randn(2, 5, 4), True)
# run: most(randn(2, 3, 4), 3)
# run: most(randn(2, 3, 4), 4)
# run: asserted_n(randn(2, 3, 4), 1)
# run: raised_n(randn(2, 3, 4), 1)
# run: removed(randn(2, 3, 4), 1)
# run: removed(randn(2, 3, 4), 2)
# run: removed_parameter(randn(2, 3, 4), randn(3, 3), 2)
# run: left_loop(randn(2, 3, 4), 2)
# run: left_while(randn(2, 3, 4), 2)
# run: by_helper(randn(2, 3, 4), "bool")
# run: Modes()(randn(2, 4, 3))
# run: Modes(True).soft_forward(randn(2, 4, 3))
