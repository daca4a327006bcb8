"""The best scores over queries and classes together: the query of each says which box it has."""

from jaxtyping import Float, Int
from torch import Tensor


def best(
    logits: Float[Tensor, "queries classes"], boxes: Float[Tensor, "queries 4"], k: int
) -> tuple[Float[Tensor, "{k}"], Int[Tensor, "{k}"], Float[Tensor, "{k} 4"]]:
    scores, index = logits.sigmoid().flatten().topk(k)
    labels = index % logits.shape[1]
    picked = boxes[index // logits.shape[1]]  #! picked = boxes.gather(0, index // logits.shape[1])  # E: shape
    return scores, labels, picked


# run: best(randn(7, 3), torch.rand(7, 4), 5)
