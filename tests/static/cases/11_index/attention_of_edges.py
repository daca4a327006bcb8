import torch
from jaxtyping import Float, Int
from torch import Tensor


def segment_softmax(
    score: Float[Tensor, "edges heads"], dst: Int[Tensor, "edges"], nodes: int
) -> Float[Tensor, "edges heads"]:
    index = dst[:, None].expand_as(score)
    peak = torch.full((nodes, score.shape[1]), -torch.inf).scatter_reduce(0, index, score, "amax")
    e = (score - peak[dst]).exp()
    total = torch.zeros(nodes, score.shape[1]).scatter_add(0, index, e)  #! total = torch.zeros(nodes, score.shape[1]).scatter_add(0, dst, e)  # E: shape
    return e / total[dst]


# run: segment_softmax(randn(9, 2), randint(0, 5, (9,)), 5)
