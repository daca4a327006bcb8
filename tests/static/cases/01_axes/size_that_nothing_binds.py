from beartype import beartype
from jaxtyping import Float, jaxtyped
from torch import Tensor


@jaxtyped(typechecker=beartype)
def differences(x: Float[Tensor, "b t"]) -> Float[Tensor, "b t-1"]:  #! def differences(x: Float[Tensor, "b t"]) -> Float[Tensor, "b s-1"]:  # E: axes
    return x[:, 1:] - x[:, :-1]


def remark(x: Float[Tensor, "b 2*n"]) -> Float[Tensor, "b"]:
    return x.sum(1)


# run: differences(randn(2, 4))
