"""``module(x)`` has the type of ``forward``, in all the ways a forward can be written."""

from typing import Any, Generic, Literal, Protocol, TypeVar, overload

import torch
from torch import Tensor, nn

T = TypeVar("T")


class Own(nn.Module):
    def forward(self, x: Tensor, scale: float = 1.0) -> Tensor:
        return x * scale


class Inherited(Own):
    pass


class Decorated(nn.Module):
    @torch.no_grad()
    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        return x, 1


class Overloaded(nn.Module):
    @overload
    def forward(self, x: Tensor) -> Tensor: ...
    @overload
    def forward(self, x: list[Tensor]) -> list[Tensor]: ...
    def forward(self, x: Tensor | list[Tensor]) -> Tensor | list[Tensor]:
        return x


class ByFlag(nn.Module):
    @overload
    def forward(self, x: Tensor, features: Literal[True]) -> tuple[Tensor, Tensor]: ...
    @overload
    def forward(self, x: Tensor, features: Literal[False] = ...) -> Tensor: ...
    def forward(self, x: Tensor, features: bool = False) -> Tensor | tuple[Tensor, Tensor]:
        return (x, x) if features else x


class ByDefault(nn.Module):
    """What a call without a flag gives is said by the function alone."""

    @overload
    def forward(self, x: Tensor, kind: Literal["loss"]) -> Tensor: ...
    @overload
    def forward(self, x: Tensor, kind: Literal["both"]) -> tuple[Tensor, Tensor]: ...
    def forward(self, x: Tensor, kind: str | None = None) -> Tensor | tuple[Tensor, Tensor]:
        return (x, x) if kind == "both" else x


class Holder(nn.Module, Generic[T]):
    def __init__(self, value: T) -> None:
        super().__init__()
        self.value = value

    def forward(self, x: Tensor) -> T:
        return self.value


class ByHand(nn.Module):
    def __call__(self, x: int) -> str:
        return str(x)

    def forward(self, x: Tensor) -> Tensor:
        return x


class BelowByHand(ByHand):
    def forward(self, x: Tensor) -> Tensor:
        return x


class Unannotated(nn.Module):
    def forward(self, x):  # type: ignore[no-untyped-def]
        return x


class Mixin:
    def forward(self, x: int) -> int:
        return x


class Mixed(Mixin, Own):  # type: ignore[misc]
    pass


class Abstract(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError


class Runs(Protocol):
    def __call__(self, x: Tensor) -> Tensor: ...


def run(module: Runs, x: Tensor) -> Tensor:
    return module(x)


def calls(x: Tensor, abstract: Abstract, module: nn.Module) -> None:
    reveal_type(Own()(x))  # N: Revealed type is "torch._tensor.Tensor"
    Own()(x, scale="2")  # E: Argument "scale" to "forward" of "Own" has incompatible type "str"; expected "float"  [arg-type]
    Own()()  # E: Missing positional argument "x" in call to "forward" of "Own"  [call-arg]
    reveal_type(Inherited()(x))  # N: Revealed type is "torch._tensor.Tensor"
    reveal_type(Decorated()(x))  # N: Revealed type is "tuple[torch._tensor.Tensor, int]"
    reveal_type(Overloaded()([x]))  # N: Revealed type is "list[torch._tensor.Tensor]"
    reveal_type(ByFlag()(x))  # N: Revealed type is "torch._tensor.Tensor"
    reveal_type(ByFlag()(x, True))  # N: Revealed type is "tuple[torch._tensor.Tensor, torch._tensor.Tensor]"
    reveal_type(ByFlag()(x, bool(x)))  # N: Revealed type is "Any"
    reveal_type(ByDefault()(x))  # N: Revealed type is "Any"
    reveal_type(ByDefault()(x, "loss"))  # N: Revealed type is "torch._tensor.Tensor"
    reveal_type(Holder("text")(x))  # N: Revealed type is "str"
    reveal_type(ByHand()(3))  # N: Revealed type is "str"
    reveal_type(BelowByHand()(3))  # N: Revealed type is "str"
    reveal_type(Unannotated()(x))  # N: Revealed type is "Any"
    reveal_type(Mixed()(3))  # N: Revealed type is "int"
    reveal_type(abstract(x))  # N: Revealed type is "torch._tensor.Tensor"
    reveal_type(module(x))  # N: Revealed type is "Any"
    reveal_type(nn.Linear(2, 3)(x))  # N: Revealed type is "torch._tensor.Tensor"
    reveal_type(nn.MultiheadAttention(2, 2)(x, x, x))  # N: Revealed type is "tuple[torch._tensor.Tensor, torch._tensor.Tensor | Any]"
    reveal_type(list(map(Own(), [x])))  # N: Revealed type is "list[torch._tensor.Tensor]"
    run(Own(), x)
    compiled = torch.compile(Own())
    reveal_type(compiled)  # N: Revealed type is "calls.Own"
    reveal_type(compiled(x))  # N: Revealed type is "torch._tensor.Tensor"


def inside() -> Any:
    class Base(nn.Module):
        def forward(self, x: int) -> int:
            return x

    class Local(Base):
        def forward(self, x: str) -> str:  # type: ignore[override]
            return x

    reveal_type(Local()("x"))  # N: Revealed type is "str"
    return Local


class Chained(nn.Module):
    def forward(self, *x: Tensor) -> tuple[Tensor] | Tensor:
        return x[0] if len(x) == 1 else x  # type: ignore[return-value]


class Pair(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor]:
        return (x,)


def however_many(x: Tensor) -> Any:
    first, second = Chained()(x, x)
    third, fourth = Pair()(x)
    reveal_type(Pair()(x))  # N: Revealed type is "tuple[torch._tensor.Tensor, ...]"
    return first + second + third + fourth
