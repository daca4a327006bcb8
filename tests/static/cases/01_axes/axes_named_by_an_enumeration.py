from enum import StrEnum, auto

from jaxtyping import Float
from torch import Tensor


class Axis(StrEnum):
    BATCH = auto()
    FEATURE = auto()
    HEADS = "*heads"

    @staticmethod
    def names(*axes: "Axis") -> str:
        return " ".join(axis.value for axis in axes)


def sparsity(
    x: Float[Tensor, Axis.names(Axis.BATCH, Axis.HEADS, Axis.FEATURE)],
) -> Float[Tensor, Axis.names(Axis.BATCH, Axis.HEADS)]:
    return x.abs().sum(dim=-1)  #! return x.abs()  # E: shape


# run: sparsity(randn(2, 3, 5))
