"""What a module returns through a function that calls it is known as loosely as where the program calls it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial, singledispatch
from typing import TYPE_CHECKING, Any, TypeVar

from torch import Tensor, nn

T = TypeVar("T")


class Single(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x


class Several(nn.Module):
    def forward(self, x: Tensor, flag: bool = False) -> Tensor | list[Tensor]:
        return [x] if flag else x


class Perhaps(nn.Module):
    def forward(self, x: Tensor | None) -> Tensor | None:
        return None if x is None else x + 1


class Typed(nn.Module):
    if TYPE_CHECKING:

        def __call__(self, x: Tensor) -> Tensor | None: ...

    def forward(self, x: Tensor) -> Tensor | None:
        return x


class Runner:
    def run(self, f: Callable[..., T], *args: Any) -> tuple[T, int]:
        return f(*args), 1


def call(f: Callable[..., T], *args: Any) -> T:
    return f(*args)


def strictly(f: Callable[[Tensor], T], x: Tensor) -> T:
    return f(x)


@singledispatch
def described(x: object) -> str:
    return str(x)


@described.register
def _(x: int) -> str:
    return f"{x} times"


def passed(x: Tensor) -> None:
    print(call(Several(), x).shape, strictly(Several(), x).shape)
    print(call(Perhaps(), x).shape, strictly(Perhaps(), x).shape)
    for v in map(Several(), [x]):
        print(v.shape)
    print([v.shape for v in map(Perhaps(), [x])])
    print(partial(Perhaps(), x)().shape, partial(Several(), flag=False)(x).shape)
    with ThreadPoolExecutor(1) as pool:
        print(pool.submit(Perhaps(), x).result().shape, [v.shape for v in pool.map(Several(), [x])])
    print(Runner().run(Perhaps(), x)[0].shape, described(3))


def known(x: Tensor) -> None:
    call(Single(), x).nothing  # E: "Tensor" has no attribute "nothing"  [attr-defined]
    call(Perhaps(), x).nothing  # E: Item "Tensor" of "Tensor | Any" has no attribute "nothing"  [union-attr]
    partial(Single(), x)().nothing  # E: "Tensor" has no attribute "nothing"  [attr-defined]
    partial(Single(), 3)  # E: Argument 1 to "forward" of "Single" has incompatible type "int"; expected "Tensor"  [arg-type]
    strictly(Single(), 3)  # E: Argument 2 to "strictly" has incompatible type "int"; expected "Tensor"  [arg-type]
    call(Perhaps().forward, x).shape  # E: Item "None" of "Tensor | None" has no attribute "shape"  [union-attr]
    call(Typed(), x).shape  # E: Item "None" of "Tensor | None" has no attribute "shape"  [union-attr]
    partial(Typed(), x)().shape  # E: Item "None" of "Tensor | None" has no attribute "shape"  [union-attr]
