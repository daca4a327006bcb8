from typing import Union

from jaxtyping import Float
from torch import Tensor

Output = Union[Float[Tensor, "b vocab"], tuple[Float[Tensor, "b vocab"], Float[Tensor, "b d"]]]


def logits_of(output: Output) -> Float[Tensor, "b vocab"]:
    if isinstance(output, tuple):
        return output[0]  #! return output[1]  # E: shape
    return output


# run: logits_of((randn(2, 3), randn(2, 4)))
