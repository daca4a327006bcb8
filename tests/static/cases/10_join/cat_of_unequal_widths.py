import torch
from jaxtyping import Float
from torch import Tensor


def concat_tokens(image: Float[Tensor, "b n d"], text: Float[Tensor, "b m d"]) -> Float[Tensor, "b n+m d"]:
    return torch.cat((image, text), dim=1)  #! return torch.cat((image, text), dim=2)  # E: shape


# run: concat_tokens(randn(2, 3, 5), randn(2, 7, 5))
