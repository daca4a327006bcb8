import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def embed(ids: Int[Tensor, "b s"], table: Float[Tensor, "v d"]) -> Float[Tensor, "b s d"]:
    return F.embedding(ids, table)


def pool(x: Float[Tensor, "b s d"], ids: Int[Tensor, "b s"]) -> Float[Tensor, "b d"]:
    keep = (ids != 0).unsqueeze(-1)
    return (x * keep).sum(1) / keep.sum(1).clamp(min=1)


def classify(h: Float[Tensor, "b d"], w: Float[Tensor, "c d"], bias: Float[Tensor, "c"]) -> Float[Tensor, "b c"]:
    return F.linear(h, w, bias)


def pipeline(
    ids: Int[Tensor, "batch seq"],
    table: Float[Tensor, "vocab dim"],
    w: Float[Tensor, "classes dim"],
    bias: Float[Tensor, "classes"],
) -> Float[Tensor, "batch classes"]:
    x = embed(ids, table)
    h = pool(x, ids)
    return classify(h, w, bias).log_softmax(-1)  #! return classify(h, w.T, bias).log_softmax(-1)  # E: shape


# run: pipeline(randint(0, 11, (2, 5)), randn(11, 3), randn(7, 3), randn(7))
