import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor


def embedding(t: Int[Tensor, "batch"], dim: int) -> Float[Tensor, "batch {dim}"]:
    half = dim // 2
    args = t[:, None].float() * torch.arange(half).float()[None, :]
    emb = torch.cat([args.cos(), args.sin()], dim=-1)
    if dim % 2:
        emb = F.pad(emb, (0, 1))
    return emb


def flat(x: Float[Tensor, "b t d"], dim: int) -> Float[Tensor, "b k"]:
    if dim % 2:
        x = x.flatten(1)
    else:
        x = x[:, 0]
    return x


def by_size(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n d"]:
    if x.shape[0] == y.shape[0]:
        z = x + y
    elif y.shape[0] == 1:
        z = x + y
    else:
        z = x + y.mean(0)
    return z


def only_same(x: Float[Tensor, "n d"], y: Float[Tensor, "m k"]) -> Float[Tensor, "n d"]:
    if x.shape[0] != y.shape[0] or x.shape[1] != y.shape[1]:
        raise ValueError("sizes")
    z = y
    if x.sum() > 0:
        z = z * 2
    return x + z


def clipped(pred: Float[Tensor, "b t"], clip: float | None = None) -> Float[Tensor, ""]:
    loss = pred.abs()
    if clip is not None:
        loss = loss.clamp(max=clip)
    return loss.mean()


def filled(pred: Float[Tensor, "b t"], clip: float | None = None) -> Float[Tensor, ""]:
    clip = clip or 1.0
    loss = pred.abs()
    if clip is not None:
        loss = loss.mean()
    return loss


def asked_twice(pred: Float[Tensor, "b t"], clip: float | None, kind: str | None) -> Float[Tensor, ""]:
    loss = pred.abs()
    if clip is None:
        loss = loss.mean()
    if clip is not None:
        loss = loss.clamp(max=clip).sum()
    return loss


def must_be(pred: Float[Tensor, "b t"], clip: float | None = None) -> Float[Tensor, ""]:
    if clip is None:
        raise ValueError("clip")
    loss = pred.abs()
    if clip is not None:
        loss = loss.mean()
    return loss


def asserted(pred: Float[Tensor, "b t"], clip: float | None = None) -> Float[Tensor, ""]:
    assert clip is not None
    loss = pred.abs()
    if clip is not None:
        loss = loss.mean()
    return loss


def one_of(pred: Float[Tensor, "b t"], clip: float | None, cut: float | None) -> Float[Tensor, ""]:
    if (clip is None) == (cut is None):
        raise ValueError("one of them")
    loss = pred.abs()
    if clip is not None:
        loss = loss.clamp(max=clip).mean()
    if cut is not None:
        loss = loss.clamp(min=cut).mean()
    return loss


def one_of_2(pred: Float[Tensor, "b t"], clip: float | None, cut: float | None) -> Float[Tensor, ""]:
    assert clip is not None or cut is not None
    loss = pred.abs()
    if clip is not None:
        loss = loss.mean()
    elif cut is not None:
        loss = loss.sum()
    return loss


def reduced(pred: Float[Tensor, "b t"], reduction: str | None = None) -> Float[Tensor, "..."]:
    loss = pred.abs()
    if reduction is not None:
        loss = loss.mean()
    return loss


def any_rank(pred: Float[Tensor, "*b t"], temperature: float | None = None) -> Float[Tensor, "*b"]:
    logits = pred
    if temperature is not None:
        logits = logits / temperature
    return logits.sum(-1)


class Scaled(nn.Module):
    def __init__(self, d: int, scale: float | None = None) -> None:
        super().__init__()
        self.proj = nn.Linear(d, d) if scale is None else nn.Linear(d, 2 * d)

    def forward(self, x: Float[Tensor, "b d"], gain: float | None = None) -> Float[Tensor, "b d2"]:
        y = self.proj(x)
        if gain is not None:
            y = y * gain
        return y


def nested(x: Float[Tensor, "b t d"], drop: float | None = None, pool: bool = False) -> Float[Tensor, "b k"]:
    if drop is None:
        x = x.mean(1)
    else:
        x = F.dropout(x, drop).amax(1)
    return x


def sized(x: Float[Tensor, "b d"], groups: int | None = None) -> Float[Tensor, "b d"]:
    if groups is not None:
        x = x.view(x.shape[0], groups, -1)
    x = x.reshape(x.shape[0], -1)
    return x


def odd(x: Float[Tensor, "b t"], n: int) -> Float[Tensor, "b t"]:
    if n == x.shape[1]:
        w = torch.ones(n)
    else:
        w = torch.ones(x.shape[1])
    return x * w


def ordered(x: Float[Tensor, "b t"], y: Float[Tensor, "b s"]) -> Float[Tensor, "b s"]:
    if x.shape[1] > y.shape[1]:
        x = x[:, : y.shape[1]]
    elif x.shape[1] < y.shape[1]:
        x = F.pad(x, (0, y.shape[1] - x.shape[1]))
    return x + y


def told_before(pred: Float[Tensor, "b t"], clip: float | None = None, cut: float | None = None) -> Float[Tensor, ""]:
    if clip is None and cut is None:
        raise ValueError("one of them")
    loss = pred.abs()
    if clip is not None:
        return loss.clamp(max=clip).mean()
    if cut is not None:
        loss = loss.clamp(min=cut).mean()
    return loss


def _one(clip: float | None, cut: float | None) -> None:
    if clip is None and cut is None:
        raise ValueError("one of them")


def told_by_helper(pred: Float[Tensor, "b t"], clip: float | None = None, cut: float | None = None) -> Float[Tensor, ""]:
    _one(clip, cut)
    loss = pred.abs()
    if clip is not None:
        return loss.clamp(max=clip).mean()
    if cut is not None:
        loss = loss.clamp(min=cut).mean()
    return loss


class Triangle(nn.Module):
    """Outgoing edges share ``k``, and then ``k2`` is ``k``; incoming ones share ``i``, and then ``j`` is."""

    def __init__(self, outgoing: bool) -> None:
        super().__init__()
        self.outgoing = outgoing

    def forward(self, a: Float[Tensor, "b i k c"], b: Float[Tensor, "b j k2 c"]) -> Float[Tensor, "b i2 j2 c"]:
        if self.outgoing:
            a = a.permute(0, 3, 1, 2)
            b = b.permute(0, 3, 2, 1)
        else:
            a = a.permute(0, 3, 2, 1)
            b = b.permute(0, 3, 1, 2)
        return torch.matmul(a, b).permute(0, 2, 3, 1)


# run: embedding(randint(0, 9, (3,)), 7)
# run: embedding(randint(0, 9, (3,)), 8)
# run: flat(randn(2, 3, 4), 1)
# run: flat(randn(2, 3, 4), 2)
# run: by_size(randn(3, 4), randn(3, 4))
# run: by_size(randn(3, 4), randn(1, 4))
# run: by_size(randn(3, 4), randn(5, 4))
# run: only_same(randn(3, 4), randn(3, 4))
# run: clipped(randn(2, 3), 0.5)
# run: clipped(randn(2, 3))
# run: filled(randn(2, 3))
# run: asked_twice(randn(2, 3), None, None)
# run: asked_twice(randn(2, 3), 0.5, None)
# run: must_be(randn(2, 3), 0.5)
# run: asserted(randn(2, 3), 0.5)
# run: one_of(randn(2, 3), 0.5, None)
# run: one_of(randn(2, 3), None, 0.5)
# run: one_of_2(randn(2, 3), None, 0.5)
# run: reduced(randn(2, 3))
# run: reduced(randn(2, 3), "mean")
# run: any_rank(randn(2, 3, 4), 0.5)
# run: any_rank(randn(2, 3))
# run: Scaled(3)(randn(2, 3))
# run: Scaled(3, 2.0)(randn(2, 3), 2.0)
# run: nested(randn(2, 3, 4))
# run: nested(randn(2, 3, 4), 0.5)
# run: sized(randn(2, 6), 3)
# run: sized(randn(2, 6))
# run: odd(randn(2, 3), 3)
# run: odd(randn(2, 3), 4)
# run: ordered(randn(2, 3), randn(2, 5))
# run: ordered(randn(2, 5), randn(2, 3))
# run: told_before(randn(2, 3), None, 0.5)
# run: told_by_helper(randn(2, 3), 0.5)
# run: Triangle(True)(randn(2, 3, 5, 4), randn(2, 6, 5, 4))
# run: Triangle(False)(randn(2, 3, 5, 4), randn(2, 3, 6, 4))
