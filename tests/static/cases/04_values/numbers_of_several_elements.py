import math

from jaxtyping import Float, Int
from torch import Tensor


def told(losses: Float[Tensor, "batch"], step: int) -> str:
    mean = losses.mean()
    return f"{step!r:>6} {mean:.3f} {losses}"  #! return f"{step!r:>6} {losses:.3f}"  # E: shape


def rooted(losses: Float[Tensor, "batch"]) -> float:
    return math.sqrt(losses.mean())  #! return math.sqrt(losses)  # E: shape


def floored(losses: Float[Tensor, "batch 3"]) -> Float[Tensor, ""]:
    return max(losses.mean(), 0)  #! return max(losses.mean(0), 0)  # E: shape


def counted(lengths: Int[Tensor, "batch"]) -> int:
    return sum(range(lengths.max()))  #! return sum(range(lengths))  # E: shape


# run: told(randn(5), 2)
# run: rooted(randn(5).abs())
# run: floored(randn(5, 3).abs())
# run: counted(randint(0, 3, (5,)))
