"""Symbolic results under run-time checks, whose names come in by annotations of another kind."""

from beartype import beartype
from jaxtyping import Float, jaxtyped
from torch import Tensor, ones

try:
    from elsewhere import Batch
except ImportError:
    Batch = Float[Tensor, "b t"]


@jaxtyped(typechecker=beartype)
def shorter(x: Batch) -> Float[Tensor, "b t-1"]:
    return x[:, 1:]


# run: shorter(ones(2, 5))
