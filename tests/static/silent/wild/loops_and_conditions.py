"""Loops whose turns differ, conditions on tensors and on what may be none, helpers that are given built modules."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Union

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor


def pyramid(x: Float[Tensor, "b c h w"], levels: int) -> list[Float[Tensor, "b c _ _"]]:
    out = [x]
    for _ in range(levels - 1):
        x = F.avg_pool2d(x, 2)
        out.append(x)
    return out


def reduce_to_scalar(x: Float[Tensor, "*dims"]) -> Float[Tensor, ""]:
    while x.ndim > 0:
        x = x.mean(dim=-1)
    return x


def add_axes(x: Float[Tensor, "n"], rank: int) -> Float[Tensor, "n *rest"]:
    while x.ndim < rank:
        x = x.unsqueeze(-1)
    return x


def tree_sum(x: Float[Tensor, "n d"]) -> Float[Tensor, "d"]:
    while len(x) > 1:
        half = len(x) // 2
        left, right, rest = x[:half], x[half : 2 * half], x[2 * half :]
        x = torch.cat([left + right, rest])
    return x[0]


def first_is_special(xs: list[Float[Tensor, "b d"]], proj: nn.Linear) -> Float[Tensor, "b k"]:
    state = None
    for x in xs:
        if state is None:
            state = proj(x)
        else:
            state = state + proj(x)
    assert state is not None
    return state


def flagged(xs: list[Float[Tensor, "b d"]]) -> Float[Tensor, "b t d"]:
    acc = torch.empty(0)
    first = True
    for x in xs:
        if first:
            acc = x[:, None]
            first = False
        else:
            acc = torch.cat([acc, x[:, None]], dim=1)
    return acc


def diffusion_of_heat(u: Float[Tensor, "n"], steps: int, tol: float = 1e-6) -> Float[Tensor, "n"]:
    for i in range(steps):
        new = 0.5 * u + 0.25 * (u.roll(1) + u.roll(-1))
        err = (new - u).abs().max()
        if err < tol:
            return new
        if i % 10 == 0 and not torch.isfinite(err):
            raise RuntimeError("diverged")
        u = new
    return u


def newton(f: Any, x: Float[Tensor, "n"], iters: int = 5) -> Float[Tensor, "n"]:
    best: Optional[Tensor] = None
    best_value: Union[float, Tensor] = float("inf")
    for _ in range(iters):
        x = x.detach().requires_grad_()
        value = f(x)
        (g,) = torch.autograd.grad(value, x)
        x = (x - 0.1 * g).detach()
        if value < best_value:
            best, best_value = x, value.detach()
    return x if best is None else best


def keep_rows(x: Float[Tensor, "n d"], mask: Optional[Bool[Tensor, "n"]] = None) -> Float[Tensor, "m d"]:
    if mask is not None and mask.any():
        x = x[mask]
    if not x.numel() or not len(x):
        return x.new_zeros(1, x.shape[1])
    if (x == 0).all() or x.isnan().any().item():
        return x * 0
    if x.shape[0] > 3 and x.sum() > 0:
        x = x[:3]
    return x


def same_as_before(a: Float[Tensor, "n"], b: Float[Tensor, "n"]) -> bool:
    if a is b or torch.equal(a, b):
        return True
    if torch.allclose(a, b) and not (a != b).any():
        return True
    return bool((a == b).all())


def masks(n: int, kind: str | None) -> Float[Tensor, "{n} {n}"] | None:
    mask = None
    if kind == "causal":
        mask = torch.triu(torch.full((n, n), float("-inf")), 1)
    elif kind:
        mask = torch.zeros(n, n)
    return mask


def shrink_axes(x: Float[Tensor, "a b c"]) -> Float[Tensor, ""]:
    for _ in range(3):
        x = x.sum(0)
    return x


def unfold_widths(x: Float[Tensor, "b d"], widths: Iterable[int]) -> Float[Tensor, "b k"]:
    for w in widths:
        layer = nn.Linear(x.shape[-1], w)
        x = layer(x).relu()
    return x


def growing(x: Float[Tensor, "b t d"], blocks: nn.ModuleList) -> Float[Tensor, "b t2 d"]:
    for i, block in enumerate(blocks):
        x = block(x)
        if i < len(blocks) - 1:
            x = torch.repeat_interleave(x, 2, dim=1)
    return x


class DenseNet(nn.Module):
    def __init__(self, d: int, growth: int, depth: int):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(d + i * growth, growth) for i in range(depth))
        self.out_dim = d + depth * growth

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b e"]:
        for layer in self.layers:
            x = torch.cat([x, layer(x).relu()], dim=-1)
        return x


class Hourglass(nn.Module):
    def __init__(self, widths: list[int]):
        super().__init__()
        self.down = nn.ModuleList([nn.Linear(a, b) for a, b in zip(widths[:-1], widths[1:])])
        self.up = nn.ModuleList([nn.Linear(b, a) for a, b in zip(widths[:-1], widths[1:])])
        self.residual = True

    def forward(self, x: Float[Tensor, "b d"], skip: bool = True) -> Float[Tensor, "b d"]:
        kept = []
        for layer in self.down:
            kept.append(x)
            x = layer(x).tanh()
        for layer in reversed(self.up):
            y = layer(x)
            old = kept.pop()
            x = y + old if skip and self.residual else y
        return x


class Stateful(nn.Module):
    def __init__(self, d: int):
        super().__init__()
        self.cell = nn.GRUCell(d, d)
        self.hidden: Tensor | None = None

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        if self.hidden is None or self.hidden.shape[0] != x.shape[0]:
            self.hidden = torch.zeros_like(x)
        self.hidden = self.cell(x, self.hidden)
        return self.hidden

    def reset(self) -> None:
        self.hidden = None


def swap_head(model: nn.Sequential, n: int) -> nn.Sequential:
    last = model[-1]
    assert isinstance(last, nn.Linear)
    model[-1] = nn.Linear(last.in_features, n)
    return model


def fit(model: nn.Module, x: Float[Tensor, "n d"], y: Int[Tensor, "n"], epochs: int = 2) -> float:
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    best = float("inf")
    for epoch in range(epochs):
        for xb, yb in zip(x.split(4), y.split(4)):
            logits = model(xb)
            loss = F.cross_entropy(logits, yb)
            opt.zero_grad()
            loss.backward()
            norm = torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm()
            if norm > 1.0:
                for p in model.parameters():
                    if p.grad is not None:
                        p.grad.mul_(1.0 / norm)
            opt.step()
        best = min(best, float(loss))
        if loss < 0.01 or np.isnan(best):
            break
    return best


def main() -> None:
    torch.manual_seed(0)
    assert len(pyramid(torch.rand(1, 2, 16, 16), 3)) == 3
    reduce_to_scalar(torch.rand(2, 3))
    add_axes(torch.rand(3), 3)
    tree_sum(torch.rand(7, 2))
    first_is_special([torch.rand(2, 3)] * 3, nn.Linear(3, 5))
    flagged([torch.rand(2, 3)] * 3)
    diffusion_of_heat(torch.rand(9), 5)
    newton(lambda x: (x**2).sum(), torch.rand(3))
    keep_rows(torch.rand(5, 2), torch.tensor([True, False, True, True, True]))
    same_as_before(torch.rand(3), torch.rand(3))
    mask = masks(4, "causal")
    scores = torch.rand(2, 4, 4)
    if mask is not None:
        scores = scores + mask
    shrink_axes(torch.rand(2, 3, 4))
    unfold_widths(torch.rand(2, 3), (8, 4))
    growing(torch.rand(1, 2, 4), nn.ModuleList([nn.Linear(4, 4), nn.LayerNorm(4)]))
    dense = DenseNet(4, 3, 2)
    head = nn.Linear(dense.out_dim, 2)
    head(dense(torch.rand(5, 4)))
    Hourglass([8, 4, 2])(torch.rand(3, 8))
    rnn = Stateful(4)
    rnn(torch.rand(2, 4))
    rnn(torch.rand(3, 4))
    rnn.reset()
    net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 10))
    net = swap_head(net, 3)
    fit(net, torch.rand(8, 6), torch.randint(0, 3, (8,)))
    wide = nn.Sequential(DenseNet(6, 2, 3), nn.Linear(12, 3))
    fit(wide, torch.rand(8, 6), torch.randint(0, 3, (8,)))
    net[0] = nn.Linear(5, 8)
    fit(net, torch.rand(8, 5), torch.randint(0, 3, (8,)))
    net.insert(0, nn.Linear(2, 5))
    net(torch.rand(4, 2))
    rnn.cell = nn.GRUCell(6, 6)
    rnn(torch.rand(3, 6))


# run: main()
