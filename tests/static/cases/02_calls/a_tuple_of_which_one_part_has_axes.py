from jaxtyping import Float
from torch import Tensor


def moved(
    x: Float[Tensor, "*shape"], state: dict[str, Tensor]
) -> tuple[Float[Tensor, "*shape"], dict[str, Tensor]]:
    if x.ndim < 2:
        return x * state["one"], state
    return x + state["two"], {**state, "last": x}


def step(x: Float[Tensor, "rows dim"], state: dict[str, Tensor]) -> Float[Tensor, "rows dim"]:
    new, _ = moved(x, state)
    return new  #! return new.T  # E: shape


# run: step(randn(3, 5), {"one": randn(()), "two": randn(())})
