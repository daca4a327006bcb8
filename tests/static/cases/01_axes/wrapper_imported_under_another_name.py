from jaxtyping import Float as F32, Int as I64
from torch import Tensor as T


def take(rows: F32[T, "n d"], index: I64[T, "k"]) -> F32[T, "k d"]:
    return rows[index]  #! return rows[:, index]  # E: shape


# run: take(randn(11, 3), randint(0, 3, (7,)))
