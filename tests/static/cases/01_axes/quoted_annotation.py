from typing import TYPE_CHECKING

from jaxtyping import Float
from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence


def total(parts: "list[Float[Tensor, 'b d']]") -> "Float[Tensor, 'b d']":
    out = parts[0]
    for part in parts[1:]:
        out = out + part
    return out  #! return out.sum(0)  # E: shape


# run: total([randn(3, 5), randn(3, 5)])
