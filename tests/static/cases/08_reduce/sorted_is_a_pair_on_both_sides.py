from jaxtyping import Float
from torch import Tensor


def wasserstein(a: Float[Tensor, "n"], b: Float[Tensor, "n"]) -> Float[Tensor, ""]:
    return (a.sort().values - b.sort().values).abs().mean()  #! return (a.sort() - b.sort()).abs().mean()  # E: shape


# run: wasserstein(randn(5), randn(5))
