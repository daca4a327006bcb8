"""Samplers behind one interface, a UNet with skips, classifier-free guidance."""
from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Callable, ClassVar, Iterator

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


class Sampler(ABC):
    registry: ClassVar[dict[str, type[Sampler]]] = {}
    steps: int = 4

    def __init_subclass__(cls, *, name: str, **kw):
        super().__init_subclass__(**kw)
        cls.registry[name] = cls

    def __init__(self, train_steps: int = 100):
        beta = torch.linspace(1e-4, 0.02, train_steps)
        self.abar = torch.cumprod(1 - beta, 0)

    def times(self) -> Int[Tensor, "n"]:
        return torch.linspace(len(self.abar) - 1, 0, self.steps + 1).round().long()

    @abstractmethod
    def step(self, x: Float[Tensor, "b *s"], eps: Float[Tensor, "b *s"], t: Tensor, s: Tensor) -> Float[Tensor, "b *s"]: ...

    def sample(self, model: Callable, shape: tuple[int, ...], y=None, scale: float = 1.0) -> Tensor:
        x = torch.randn(shape)
        ts = self.times()
        for t, s in zip(ts, ts[1:]):
            tt = t.expand(shape[0])
            if y is None or scale == 1.0:
                eps = model(x, tt, y)
            else:
                both = model(torch.cat([x, x]), tt.repeat(2), torch.cat([y, torch.zeros_like(y)]))
                cond, free = both.chunk(2)
                eps = free + scale * (cond - free)
            x = self.step(x, eps, t, s)
        return x


class DDIM(Sampler, name="ddim"):
    def step(self, x, eps, t, s):
        at, as_ = self.abar[t], self.abar[s]
        x0 = (x - (1 - at).sqrt() * eps) / at.sqrt()
        return as_.sqrt() * x0 + (1 - as_).sqrt() * eps


class Multistep(DDIM, name="multi"):
    steps = 6

    def __init__(self, *args, order: int = 2):
        super().__init__(*args)
        self.old: list[Tensor] = []
        self.order = order

    def step(self, x, eps, t, s):
        self.old = [*self.old[-(self.order - 1) :], eps]
        if len(self.old) > 1:
            eps = 1.5 * self.old[-1] - 0.5 * self.old[-2]
        return super().step(x, eps, t, s)


def embed_time(t: Int[Tensor, "b"], d: int) -> Float[Tensor, "b d"]:
    f = torch.exp(-math.log(1e4) * torch.arange(d // 2) / (d // 2))
    a = t[:, None] * f
    e = torch.cat([a.sin(), a.cos()], -1)
    return F.pad(e, (0, d % 2))


class Res(nn.Module):
    def __init__(self, cin, cout, d):
        super().__init__()
        self.a, self.b = nn.Conv2d(cin, cout, 3, padding=1), nn.Conv2d(cout, cout, 3, padding=1)
        self.t = nn.Linear(d, 2 * cout)
        self.norm = nn.GroupNorm(4, cout)
        self.skip = nn.Conv2d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x: Float[Tensor, "b c h w"], e: Float[Tensor, "b d"]):
        scale, shift = self.t(e)[..., None, None].chunk(2, 1)
        h = self.norm(self.a(F.silu(x))) * (1 + scale) + shift
        return self.skip(x) + self.b(F.silu(h))


class UNet(nn.Module):
    def __init__(self, c=3, base=8, mult=(1, 2, 4), per=2, classes=4, d=15):
        super().__init__()
        self.d = d
        self.cls = nn.Embedding(classes + 1, d)
        self.inp = nn.Conv2d(c, base, 3, padding=1)
        skips, cur = [base], base
        self.down = nn.ModuleList()
        for i, m in enumerate(mult):
            for _ in range(per):
                self.down.append(Res(cur, base * m, d))
                cur = base * m
                skips.append(cur)
            if i < len(mult) - 1:
                self.down.append(nn.Conv2d(cur, cur, 3, 2, 1))
                skips.append(cur)
        self.mid = Res(cur, cur, d)
        self.up = nn.ModuleList()
        for i, m in reversed(tuple(enumerate(mult))):
            for _ in range(per + 1):
                self.up.append(Res(cur + skips.pop(), base * m, d))
                cur = base * m
            if i:
                self.up.append(nn.Upsample(scale_factor=2))
        self.out = nn.Conv2d(cur, c, 1)

    def forward(self, x: Float[Tensor, "b c h w"], t, y=None) -> Float[Tensor, "b c h w"]:
        e = embed_time(t, self.d)
        if y is not None:
            e = e + self.cls(y)
        h = self.inp(x)
        hs = [h]
        for m in self.down:
            h = m(h, e) if isinstance(m, Res) else m(h)
            hs.append(h)
        h = self.mid(h, e)
        for m in self.up:
            h = m(h) if isinstance(m, nn.Upsample) else m(torch.cat([h, hs.pop()], 1), e)
        return self.out(h)


@torch.no_grad()
def main():
    net = UNet()
    outs = {}
    for name, cls in Sampler.registry.items():
        outs[name] = cls().sample(net, (2, 3, 8, 8), torch.tensor([1, 2]), scale=2.0)
    plain = DDIM(50).sample(net, (1, 3, 16, 8))
    flat = Multistep(order=3).sample(lambda x, t, y: 0.1 * x, (5, 7))
    times = Multistep().times()
    return outs["multi"] - outs["ddim"], plain, flat, times


# run: main()
