from __future__ import annotations

import weakref
from typing import Any, ClassVar, Generic, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

C = TypeVar("C")


class Configurable(Generic[C]):
    config: C

    def __init_subclass__(cls, *, default: Any = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.default = default


class Counted:
    instances: ClassVar[weakref.WeakSet[Counted]] = weakref.WeakSet()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instances.add(self)

    def __hash__(self) -> int:
        return id(self)


class NormMixin:
    norm: nn.Module

    def normed(self, x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
        return self.norm(x)


class ResidualMixin:
    def residual(self, x: Float[Tensor, "*batch d"], y: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
        return x + y * getattr(self, "scale", 1.0)


class BaseBlock(nn.Module):
    def __init__(self, d: int, **kwargs: Any) -> None:
        super().__init__()
        self.d = d
        for key, value in kwargs.items():
            setattr(self, key, value)


class FeedForward(Configurable[dict], NormMixin, ResidualMixin, BaseBlock, default={"ratio": 3}):
    def __init__(self, d: int, **kwargs: Any) -> None:
        super().__init__(d, **kwargs)
        hidden = d * self.default["ratio"]
        self.norm = nn.LayerNorm(d)
        self.up, self.down = nn.Linear(d, hidden), nn.Linear(hidden, d)

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        return self.residual(x, self.down(self.up(self.normed(x)).relu()))


class Wide(FeedForward, default={"ratio": 7}):
    @property
    def scale(self) -> float:
        return self._scale

    @scale.setter
    def scale(self, value: float) -> None:
        self._scale = value

    def __init__(self, d: int) -> None:
        super().__init__(d)
        self.scale = 0.5


class Lazy:
    """A descriptor that builds a module when it is first read."""

    def __init__(self, build):
        self.build = build

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        if self.name not in obj._modules:
            obj.add_module(self.name, self.build(obj))
        return obj._modules[self.name]


class WithLazy(BaseBlock):
    proj = Lazy(lambda self: nn.Linear(self.d, 2 * self.d))

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b 2*d"]:
        return self.proj(x)


class Proxy:
    def __init__(self, inner: nn.Module) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __call__(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
        return self._inner(x)


class Swap(nn.Module):
    """Its parts change while it lives."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.body = nn.Linear(d, d)
        self.steps = 0
        self.state: Tensor | None = None

    def widen(self, d: int) -> None:
        old = self.body
        self.body = nn.Linear(old.in_features, d)
        with torch.no_grad():
            self.body.weight[: old.out_features] = old.weight

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b _"]:
        self.steps += 1
        y = self.body(x)
        self.state = y if self.state is None or self.state.shape != y.shape else self.state + y
        return self.state


def make(kind: str, *args: int) -> nn.Module:
    cls = type(kind, (FeedForward,), {"extra": len(args)}, default={"ratio": 2})
    return cls(*args)


# run: FeedForward(5)(randn(2, 5)); Wide(5)(randn(2, 5)); WithLazy(5)(randn(2, 5)); p = Proxy(Wide(3)); p(randn(2, 3)); p.d
# run: s = Swap(5); s(randn(2, 5)); s.widen(7); s(randn(2, 5)); make("Tiny", 3)(randn(2, 3))
