"""Modules where a function or a protocol is wanted: called by position, parameters may have other names."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

import torch
from torch import Tensor, nn

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")
In = TypeVar("In", contravariant=True)
Result = TypeVar("Result", covariant=True)


class Loss(Protocol):
    def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...


class Denoiser(Protocol):
    training: bool

    def __call__(self, sample: Tensor, t: Tensor, *, guidance: float = 1.0) -> Tensor: ...


class Transform(Protocol[In, Result]):
    def __call__(self, item: In, /) -> Result: ...


class L1(nn.Module):
    def forward(self, pred: Tensor, truth: Tensor) -> Tensor:
        return (pred - truth).abs().mean()


class Weighted(L1):
    def forward(self, pred: Tensor, truth: Tensor, weight: Tensor | None = None) -> Tensor:
        return super().forward(pred, truth) * (1 if weight is None else weight)


class Encoder(nn.Module):
    def forward(self, x: Tensor, all_layers: bool = False) -> Tensor | tuple[Tensor, Tensor]:
        return (x, x) if all_layers else x


class WithLoss(nn.Module):
    def forward(self, x: Tensor, y: Tensor | None = None, **kwargs: Any) -> Tensor | None:
        return None if y is None else (x - y).mean()


class Untyped(nn.Module):
    def forward(self, x, y=None):  # type: ignore[no-untyped-def]
        return x


class Spread(nn.Module):
    def forward(self, *xs: Tensor, scale: float) -> Tensor:
        return sum(xs, xs[0]) * scale


class Either(nn.Module):
    @overload
    def forward(self, x: Tensor) -> Tensor: ...
    @overload
    def forward(self, x: list[Tensor]) -> list[Tensor]: ...
    def forward(self, x: Any) -> Any:
        return x


def in_eval(f: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    return f


class Decorated(nn.Module):
    @in_eval
    def forward(self, x: Tensor) -> Tensor | None:
        return x


class Of(nn.Module, Generic[T]):
    def __init__(self, inner: Callable[[Tensor], T]) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor) -> T:
        return self.inner(x)


class ByHand(L1):
    def __call__(self, pred: Tensor, *, times: int) -> list[Tensor]:
        return [super().__call__(pred, pred) for _ in range(times)]


class Abstract(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError


@dataclass
class Config:
    loss: Loss = field(default_factory=L1)
    encoder: Callable[..., Tensor] = field(default_factory=Encoder)
    make: Callable[[], Loss] = Weighted


def by_protocol(loss: Loss, x: Tensor) -> Tensor:
    return loss(x, target=x)


def by_position(f: Callable[[Tensor, Tensor], Tensor], x: Tensor) -> Tensor:
    return f(x, x)


def one(f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    return f(x)


def sample(model: Denoiser, x: Tensor) -> Tensor:
    return model(x, x, guidance=2.0)


def again(f: Callable[[T], T], xs: list[T]) -> list[T]:
    return [f(x) for x in xs]


def wanted(x: Tensor, abstract: Abstract) -> list[Loss]:
    by_protocol(L1(), x), by_protocol(Weighted(), x), by_protocol(WithLoss(), x), by_protocol(Untyped(), x)
    by_position(WithLoss(), x), by_position(Spread(), x), by_position(abstract, x), one(abstract, x)
    one(Encoder(), x), one(Untyped(), x), one(Either(), x), one(Decorated(), x), one(Of(Encoder()), x)
    sample(L1(), x), sample(WithLoss(), x)
    transform: Transform[Tensor, Tensor] = Encoder()
    loss: Loss = L1() if x.sum() > 0 else nn.MSELoss()
    named: dict[str, Loss] = {"l1": L1(), "mse": nn.MSELoss(), "other": lambda input, target: input}
    several: list[Callable[[Tensor], Tensor]] = [Encoder(), nn.ReLU(), torch.tanh]
    with ThreadPoolExecutor() as pool:
        reveal_type(pool.submit(L1(), x, x).result())  # N: Revealed type is "torch._tensor.Tensor"
    reveal_type(again(Encoder(), [x]))  # N: Revealed type is "list[torch._tensor.Tensor]"
    reveal_type(list(map(L1(), [x], [x])))  # N: Revealed type is "list[torch._tensor.Tensor]"
    reveal_type(ByHand()(x, times=2))  # N: Revealed type is "list[torch._tensor.Tensor]"
    print(transform(x), loss(x, x), [f(x) for f in several], Config(WithLoss()).loss(x, x))
    return [*named.values(), L1()]


def still_wrong(x: Tensor) -> None:
    by_position(Encoder(), x)  # type: ignore[arg-type]
    names: list[Callable[[str], Any]] = [Encoder()]  # type: ignore[list-item]
    text: Callable[[Tensor, Tensor], str] = L1()  # type: ignore[assignment]
    Encoder()(item=x)  # E: Unexpected keyword argument "item" for "forward" of "Encoder"  [call-arg]
    L1()(x)  # E: Missing positional argument "truth" in call to "forward" of "L1"  [call-arg]
    print(names, text)
