from jaxtyping import Float
from torch import Tensor

__all__ = ["Float", "Tensor"]
