from jaxtyping import Float
from torch import Tensor


def drop_class_token(tokens: Float[Tensor, "batch _ dim"]) -> Float[Tensor, "batch dim"]:
    return tokens[:, 0]  #! return tokens[0]  # E: shape


# run: drop_class_token(randn(2, 5, 7))
