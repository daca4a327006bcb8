"""Early exits, fallbacks, loops with else, exceptions that carry tensors, suppressed errors."""
from __future__ import annotations

from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import Literal, NoReturn, Optional

import torch
from jaxtyping import Float
from torch import Tensor


class Found(Exception):
    def __init__(self, x: Tensor):
        super().__init__("found")
        self.x = x


def fail(msg: str) -> NoReturn:
    raise ValueError(msg)


def to_3d(x: Tensor) -> Float[Tensor, "b n d"]:
    if x.ndim == 1:
        x = x[None]
    if x.ndim == 2:
        return x[None]
    elif x.ndim > 3:
        x = x.flatten(0, -3)
    elif x.ndim == 0:
        fail("scalar")
    return x


def refuse(msg):
    print(msg)
    if len(msg) > 3:
        raise ValueError(msg)
    else:
        raise TypeError(msg)


class Reader:
    def fail(self, rank):
        raise ValueError(f"{rank} axes")

    def rows(self, x: Tensor) -> Float[Tensor, "n d"]:
        if x.ndim == 1:
            refuse("a row")
        elif x.dim() == 3:
            self.fail(3)
        return x


def robust_matmul(a: Tensor, b: Tensor) -> Tensor:
    try:
        return a @ b
    except RuntimeError:
        return a @ b.mT


def chol(a: Float[Tensor, "n n"], tries: int = 3) -> Float[Tensor, "n n"]:
    jitter = 0.0
    for i in range(tries):
        try:
            l = torch.linalg.cholesky(a + jitter * torch.eye(a.shape[-1]))
        except torch.linalg.LinAlgError:
            jitter = 10.0 ** (i - 2)
        else:
            break
    else:
        l = a.diagonal().abs().sqrt().diag()
    return l


def search(xs: list[Tensor], want: int) -> Tensor:
    for x in xs:
        if len(x) == want:
            break
    else:
        x = torch.zeros(want)
    return x


def nested(xs: list[list[Tensor]]) -> Tensor:
    try:
        for row in xs:
            for x in row:
                if x.dim() == 2:
                    raise Found(x)
    except Found as f:
        return f.x.sum(0)
    finally:
        xs.clear()
    return torch.zeros(1)


@contextmanager
def swallow(*errors):
    try:
        yield
    except errors:
        pass


def attend(q: Float[Tensor, "b n d"], mode: Literal["full", "mean", "none"] = "full", bias: Optional[Tensor] = None):
    if mode == "none":
        return q
    w = q @ q.mT
    if bias is not None:
        w = w + (bias if bias.ndim == 3 else bias[None])
    with torch.no_grad() if mode == "mean" else nullcontext():
        match mode:
            case "full":
                return w.softmax(-1) @ q
            case "mean" if w.shape[0] > 1:
                return q.mean(1)
            case "mean":
                return q.mean((0, 1))
    raise AssertionError(mode)


def main():
    shapes = [to_3d(torch.zeros(s)) for s in [(3,), (2, 3), (1, 2, 3), (2, 2, 4, 3)]]
    last = shapes[-1]
    a = robust_matmul(torch.zeros(2, 3), torch.zeros(3, 4))
    b = robust_matmul(torch.zeros(2, 3), torch.zeros(5, 3))
    c = chol(-torch.eye(3))
    d, e = search([torch.zeros(2), torch.zeros(3)], 3), search([torch.zeros(2)], 7)
    xs = [[torch.zeros(3)], [torch.zeros(4, 5)]]
    f = nested(xs)
    n = len(xs)
    g = torch.zeros(4)
    with suppress(RuntimeError):
        g = g[:2]
        g = g + torch.zeros(3)
        g = torch.zeros(9)
    h = torch.zeros(1)
    with swallow(ZeroDivisionError):
        h = torch.zeros(5)
        1 // n
        h = torch.zeros(6)
    q = torch.randn(2, 4, 3)
    i, j, k = attend(q, bias=torch.zeros(4, 4)), attend(q, "mean"), attend(q[:1], "mean")
    with ExitStack() as stack:
        held = [stack.enter_context(nullcontext(torch.zeros(m))) for m in (2, 3)]
    l = held[1]
    x = torch.zeros(8)
    while True:
        x = x[::2]
        if x.numel() < 3:
            break
        if x.numel() % 2:
            continue
        x = torch.cat([x, x[:1] * 0])[: x.numel()]
    try:
        y = torch.zeros(3)
        int("x")
        y = torch.zeros(4)
    except (TypeError, ValueError):
        z = y
    finally:
        w = y.sum()
    o = p if (p := torch.zeros(2)).numel() > 3 else torch.zeros(5)
    r = None or torch.zeros(6)
    s = [torch.zeros(1), torch.zeros(2)][n == 0]
    t = (n == 0) and torch.zeros(8)
    rows = Reader().rows(torch.zeros(4, 5))
    return rows, last, a, b, c, d, e, f, g, h, i, j, k, l, x, z, w, o, r, s, t


# run: main()
