from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor


def cosine(a: Float[Tensor, "n d"], b: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
    a = a / a.norm(dim=1, keepdim=True)
    b = b / b.norm(dim=1, keepdim=True)
    return a @ b.T


class Retriever:
    def __init__(self, keys: Float[Tensor, "docs dim"]) -> None:
        self.keys = keys
        self.similarity: Callable[[Float[Tensor, "n d"], Float[Tensor, "m d"]], Float[Tensor, "n m"]] = cosine

    def scores(self, query: Float[Tensor, "q dim"]) -> Float[Tensor, "q docs"]:
        return self.similarity(query, self.keys)  #! return self.similarity(query, self.keys)[0]  # E: shape


# run: Retriever(randn(7, 3)).scores(randn(5, 3))
