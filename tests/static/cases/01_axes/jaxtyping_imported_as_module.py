import jaxtyping as jt
import torch


def cosine(a: jt.Float[torch.Tensor, "n d"], b: jt.Float[torch.Tensor, "m d"]) -> jt.Float[torch.Tensor, "n m"]:
    a = a / a.norm(dim=-1, keepdim=True)
    b = b / b.norm(dim=-1, keepdim=True)
    return a @ b.T  #! return (a * b).sum(-1)  # E: shape


# run: cosine(randn(3, 5), randn(7, 5))
