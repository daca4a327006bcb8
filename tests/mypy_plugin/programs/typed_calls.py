"""Where a program types ``__call__`` itself mypy says what it says alone."""

from typing import TYPE_CHECKING, Generic, TypeVar

from torch import nn

In = TypeVar("In")
Out = TypeVar("Out")


class Declared(nn.Module):
    if TYPE_CHECKING:

        def __call__(self, s: str) -> int: ...

    def forward(self, s: str) -> int:
        return len(s)


class Written(nn.Module):
    def __call__(self, s: str) -> int:
        return int(super().__call__(s))

    def forward(self, s: str) -> int:
        return len(s)


class Base(nn.Module, Generic[In, Out]):
    if TYPE_CHECKING:

        def __call__(self, x: In) -> Out: ...


class Below(Base[str, int]):
    def forward(self, s: str) -> int:
        return len(s)


def kept() -> None:
    a: str = Declared()("x")  # E: Incompatible types in assignment (expression has type "int", variable has type "str")  [assignment]
    b: str = Written()("x")  # E: Incompatible types in assignment (expression has type "int", variable has type "str")  [assignment]
    c: str = Below()("x")  # E: Incompatible types in assignment (expression has type "int", variable has type "str")  [assignment]
    items: list[str] = [Declared()("x")]  # E: List item 0 has incompatible type "int"; expected "str"  [list-item]
    named = {"a": "b"}
    named["a"] = Declared()("x")  # E: Incompatible types in assignment (expression has type "int", target has type "str")  [assignment]
    text = ""
    text = Below()("x")  # E: Incompatible types in assignment (expression has type "int", variable has type "str")  [assignment]
    print(a, b, c, items, named, text)


def given(number: int, nothing: None = None) -> None:
    Declared()(number)  # E: Argument 1 to "__call__" of "Declared" has incompatible type "int"; expected "str"  [arg-type]
    Below()(nothing)  # E: Argument 1 to "__call__" of "Base" has incompatible type "None"; expected "str"  [arg-type]
