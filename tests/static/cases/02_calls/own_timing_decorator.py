import functools
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from jaxtyping import Float
from torch import Tensor

P = ParamSpec("P")
R = TypeVar("R")


def timed(fn: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(fn)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        start = time.perf_counter()
        out = fn(*args, **kwargs)
        print(f"{fn.__name__}: {time.perf_counter() - start:.3f}s")
        return out

    return wrapper


@timed
def mix(x: Float[Tensor, "b s d"], w: Float[Tensor, "s t"]) -> Float[Tensor, "b t d"]:
    return (x.mT @ w).mT


def block(x: Float[Tensor, "b s d"], w: Float[Tensor, "s t"]) -> Float[Tensor, "b t d"]:
    return mix(x, w)  #! return mix(x.mT, w)  # E: shape


# run: block(randn(2, 3, 5), randn(3, 7))
