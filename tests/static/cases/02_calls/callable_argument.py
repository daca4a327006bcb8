from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor

Encoder = Callable[[Float[Tensor, "batch d_in"]], Float[Tensor, "batch d_out"]]


def encode_sequence(
    encode: Encoder, x: Float[Tensor, "batch seq d_in"]
) -> Float[Tensor, "batch seq d_out"]:
    b, s, d = x.shape
    return encode(x.view(b * s, d)).view(b, s, -1)  #! return encode(x).view(b, s, -1)  # E: shape


# run: encode_sequence(lambda x: torch.mm(x, torch.ones(5, 7)), randn(2, 3, 5))
