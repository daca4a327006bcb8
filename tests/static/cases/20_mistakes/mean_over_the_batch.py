from jaxtyping import Float
from torch import Tensor


def sentence_embedding(tokens: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch d_model"]:
    return tokens.mean(dim=1)  #! return tokens.mean(dim=0)  # E: shape


# run: sentence_embedding(randn(2, 5, 8))
