from typing import TypeAlias

from jaxtyping import Float, Int
from torch import Tensor

Tokens: TypeAlias = Int[Tensor, "batch seq"]
Hidden: TypeAlias = Float[Tensor, "batch seq dim"]
Pooled: TypeAlias = Float[Tensor, "batch dim"]
