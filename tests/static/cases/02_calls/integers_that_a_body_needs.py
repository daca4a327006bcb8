import torch
from jaxtyping import Float, Int
from torch import Tensor


def split_heads(x: Float[Tensor, "b s d"], heads: int, width: int) -> Float[Tensor, "b heads s width"]:
    return x.view(x.shape[0], x.shape[1], heads, width).transpose(1, 2)


def edge_softmax(scores: Float[Tensor, "edges heads"], dst: Int[Tensor, "edges"], n: int) -> Float[Tensor, "edges heads"]:
    exp = (scores - scores.amax(0)).exp()
    total = torch.zeros(n, scores.shape[1]).index_add(0, dst, exp)
    return exp / total[dst]


def queries(x: Float[Tensor, "b s 64"]) -> Float[Tensor, "b 4 s w"]:
    return split_heads(x, 4, 16)  #! return split_heads(x, 4, 32)  # E: shape


def messages(
    x: Float[Tensor, "n d"], scores: Float[Tensor, "edges heads"], dst: Int[Tensor, "edges"]
) -> Float[Tensor, "n heads"]:
    weights = edge_softmax(scores, dst, x.shape[0])
    return torch.zeros(x.shape[0], scores.shape[1]).index_add(0, dst, weights)


# run: queries(randn(2, 3, 64)); messages(randn(5, 2), randn(7, 3), torch.zeros(7).long())
