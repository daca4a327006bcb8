import torch
from jaxtyping import Float
from torch import Tensor


def similarity(a: Tensor, b: Tensor) -> Tensor:
    return a @ b.mT


evaluate = torch.no_grad()(similarity)
with_gradients = torch.enable_grad()
plain = torch.inference_mode(similarity)


def scores(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
    return evaluate(x, y) + with_gradients(similarity)(x, y) + plain(x, y)  #! return evaluate(x, y) + with_gradients(similarity)(x, y) + plain(y, x)  # E: shape


def ranks(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
    return torch.set_grad_enabled(False)(similarity)(x, y)  #! return torch.set_grad_enabled(False)(similarity)(y, x)  # E: shape


# run: scores(randn(3, 4), randn(5, 4)), ranks(randn(3, 4), randn(5, 4))
