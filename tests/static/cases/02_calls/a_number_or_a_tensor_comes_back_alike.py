from jaxtyping import Float
from torch import Tensor


def ramp(step: float | Float[Tensor, "*steps"]) -> float | Float[Tensor, "*steps"]:
    return step / 10


def rate(step: float | Float[Tensor, "*steps"]) -> float | Float[Tensor, "*steps"]:
    found = ramp(step)
    if isinstance(found, Tensor):
        return found.cos()  #! return found.cos()[None]  # E: shape
    return found


# run: rate(randn(3))
