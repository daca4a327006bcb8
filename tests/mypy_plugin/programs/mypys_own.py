"""What mypy's own plugin knows stays known where modules are called as well."""

from enum import Enum
from functools import singledispatch

from torch import Tensor, nn


@singledispatch
def width(of: object) -> int:
    return 0


@width.register(int)
def of_int(of: int) -> int:
    return of


@width.register(str)
def of_text(of: str) -> int:
    of_text("a").bit_lengths()  # E: "int" has no attribute "bit_lengths"; maybe "bit_length"?  [attr-defined]
    return of_int(len(of))


class Kind(Enum):
    first = 1
    second = 2


class Sorter(nn.Module):
    def forward(self, x: Tensor) -> Kind:
        return Kind.first if x.sum() > 0 else Kind.second


def value_of(x: Tensor, kind: Kind) -> int:
    if Sorter()(x).value > 1:
        reveal_type(Kind.first.value)  # N: Revealed type is "Literal[1]?"
    return kind.value
