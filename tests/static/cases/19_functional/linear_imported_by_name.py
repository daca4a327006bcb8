from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import gelu, layer_norm, linear


def mlp(
    x: Float[Tensor, "b d"], w1: Float[Tensor, "h d"], w2: Float[Tensor, "d h"]
) -> Float[Tensor, "b d"]:
    h = gelu(linear(x, w1))
    return layer_norm(linear(h, w2), [x.shape[-1]])  #! return layer_norm(linear(h, w1), [x.shape[-1]])  # E: shape


# run: mlp(randn(2, 3), randn(5, 3), randn(3, 5))
